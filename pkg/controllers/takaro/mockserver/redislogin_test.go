// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientfake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"roadstead.dev/roadstead/pkg/controllers/secrets"
	"roadstead.dev/roadstead/pkg/util/names"
)

// refusal is the response of Redis to an invalid login.
var refusal = redisAnswer("WRONGPASS invalid username-password pair or user is disabled.")

type redisAnswer string

func (a redisAnswer) Error() string { return string(a) }
func (redisAnswer) RedisError()     {}

// rollout returns a cluster with the shipped StatefulSet and its Secret. Its Redis rejects every
// login.
func rollout(t *testing.T, objects ...client.Object) (client.Client, *RedisLogin) {
	t.Helper()
	c := clientfake.NewClientBuilder().WithScheme(clientscheme.Scheme).WithObjects(objects...).Build()
	return c, &RedisLogin{Set: bundledSet(t, c), Secrets: secrets.NewReader(c, c), Writer: c,
		Login: func(context.Context, *corev1.Secret) error { return refusal }}
}

func bundledLogin(password string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: systemSpace, Name: BundledRedisSecret},
		Data: map[string][]byte{redisKeyUsername: []byte("default"), redisKeyPassword: []byte(password)}}
}

func TestRedisRestartsWithAChangedLogin(t *testing.T) {
	c, login := rollout(t, shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml"), bundledLogin("first"))
	set := func() *appsv1.StatefulSet {
		t.Helper()
		require.NoError(t, login.follow(t.Context()))
		set := &appsv1.StatefulSet{}
		require.NoError(t, c.Get(t.Context(), client.ObjectKey{Namespace: systemSpace, Name: names.Redis}, set))
		return set
	}
	first := set()
	require.NotEmpty(t, first.Spec.Template.Annotations[loginAnnotation])
	assert.NotContains(t, first.Spec.Template.Annotations[loginAnnotation], "first")
	assert.Equal(t, first.ResourceVersion, set().ResourceVersion, "nothing is written while nothing changes")

	secret := bundledLogin("first")
	require.NoError(t, c.Delete(t.Context(), secret))
	assert.Equal(t, first.ResourceVersion, set().ResourceVersion, "a deleted Secret restarts nothing")
	require.NoError(t, c.Create(t.Context(), bundledLogin("first")))
	assert.Equal(t, first.ResourceVersion, set().ResourceVersion, "nor does a restored one")

	require.NoError(t, c.Update(t.Context(), bundledLogin("second")))
	second := set()
	assert.NotEqual(t, first.Spec.Template.Annotations[loginAnnotation], second.Spec.Template.Annotations[loginAnnotation])
	renamed := bundledLogin("second")
	renamed.Data[redisKeyUsername] = []byte("other")
	require.NoError(t, c.Update(t.Context(), renamed))
	assert.NotEqual(t, second.Spec.Template.Annotations[loginAnnotation], set().Spec.Template.Annotations[loginAnnotation])
}

// TestRedisIsRestartedOnlyIfItRefusesTheLogin: a restart closes the connections of all MockServers.
func TestRedisIsRestartedOnlyIfItRefusesTheLogin(t *testing.T) {
	for name, tc := range map[string]struct {
		err      error
		restarts bool
		tries    int
	}{
		"accepted":        {nil, false, 1},
		"wrong password":  {refusal, true, 1},
		"none was sent":   {redisAnswer("NOAUTH Authentication required."), true, 1},
		"still loading":   {redisAnswer("LOADING Redis is loading the dataset in memory"), false, 3},
		"does not answer": {errors.New("connection refused"), false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			c, login := rollout(t, shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml"), bundledLogin("first"))
			tries := 0
			login.Login = func(context.Context, *corev1.Secret) error { tries++; return tc.err }
			for range 3 {
				require.NoError(t, login.follow(t.Context()))
			}
			set := &appsv1.StatefulSet{}
			require.NoError(t, c.Get(t.Context(), client.ObjectKey{Namespace: systemSpace, Name: names.Redis}, set))
			assert.Equal(t, tc.restarts, set.Spec.Template.Annotations[loginAnnotation] != "")
			assert.Equal(t, tc.tries, tries)
		})
	}
}

func TestRedisLoginOfAnotherSecret(t *testing.T) {
	set := shipped[appsv1.StatefulSet](t, "redis/statefulset.yaml")
	for i := range set.Spec.Template.Spec.Containers[0].Env {
		set.Spec.Template.Spec.Containers[0].Env[i].ValueFrom.SecretKeyRef.Name = "existing"
	}
	existing := bundledLogin("first")
	existing.Name = "existing"
	c, login := rollout(t, set, existing)
	require.NoError(t, login.follow(t.Context()))
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(set), set))
	assert.NotEmpty(t, set.Spec.Template.Annotations[loginAnnotation])
}

func TestRedisLoginWithoutTheBundledRedis(t *testing.T) {
	_, login := rollout(t, bundledLogin("first"))
	require.NoError(t, login.follow(t.Context()))
}
