// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestBundledRedis(t *testing.T) {
	key := client.ObjectKey{Namespace: "roadstead-system", Name: BundledRedisSecret}
	made := func(t *testing.T, c client.Client) *corev1.Secret {
		t.Helper()
		require.NoError(t, (&BundledRedis{Cached: c, Writer: c, Namespace: key.Namespace, Host: "redis.svc"}).ensure(t.Context()))
		secret := &corev1.Secret{}
		require.NoError(t, c.Get(t.Context(), key, secret))
		return secret
	}
	t.Run("a login is made once, and is one of a shared Redis", func(t *testing.T) {
		c := fake.NewClientBuilder().WithScheme(scheme.Scheme).Build()
		first := made(t, c)
		target, usable := parseRedis(first)
		require.True(t, usable)
		assert.Equal(t, "redis.svc", target.host)
		assert.Equal(t, int32(6379), target.port)
		assert.Equal(t, "default", target.username)
		assert.GreaterOrEqual(t, len(first.Data[redisKeyPassword]), 20)
		assert.Equal(t, "true", first.Labels[RedisLabel])
		assert.Equal(t, first.ResourceVersion, made(t, c).ResourceVersion, "and left alone then")
	})
	t.Run("what somebody else made is left", func(t *testing.T) {
		c := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}).Build()
		assert.Empty(t, made(t, c).Data)
	})
	t.Run("an error names the Secret", func(t *testing.T) {
		c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), interceptor.Funcs{
			Create: fails,
		})
		err := (&BundledRedis{Cached: c, Writer: c, Namespace: key.Namespace, Host: "redis.svc"}).ensure(t.Context())
		require.EqualError(t, err, "make Secret roadstead-system/roadstead-redis: no")
	})
}

func fails(_ context.Context, _ client.WithWatch, _ client.Object, _ ...client.CreateOption) error {
	return errors.New("no")
}
