// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

func TestRedisMetrics(t *testing.T) {
	w := newWorld(t)
	watch := redisWatch{w.r}
	publishRedis(nil, nil)
	admin := shared.Client()
	defer func() { _ = admin.Close() }()
	require.NoError(t, admin.ConfigSet(t.Context(), "maxmemory", "104857600").Err())
	t.Cleanup(func() {
		client := shared.Client()
		defer func() { _ = client.Close() }()
		require.NoError(t, client.ConfigSet(context.WithoutCancel(t.Context()), "maxmemory", "0").Err())
	})
	watch.probe(t.Context())
	assert.InDelta(t, 1, testutil.ToFloat64(redisUp.WithLabelValues()), 0)
	assert.Greater(t, testutil.ToFloat64(redisUsed.WithLabelValues()), 1000.0)
	assert.InDelta(t, 100<<20, testutil.ToFloat64(redisMaximum.WithLabelValues()), 0)

	require.NoError(t, admin.ConfigSet(t.Context(), "maxmemory", "0").Err())
	watch.probe(t.Context())
	assert.Zero(t, testutil.CollectAndCount(redisMaximum), "there is no limit")

	secret := &corev1.Secret{}
	require.NoError(t, w.Store.Get(t.Context(), client.ObjectKey{Namespace: controllertest.System, Name: "redis"}, secret))
	secret.Data["password"] = []byte("wrong")
	require.NoError(t, w.Store.Update(t.Context(), secret))
	watch.probe(t.Context())
	assert.InDelta(t, 0, testutil.ToFloat64(redisUp.WithLabelValues()), 0, "the login is refused")
	assert.Zero(t, testutil.CollectAndCount(redisUsed))

	require.NoError(t, w.Store.Delete(t.Context(), secret))
	watch.probe(t.Context())
	assert.Zero(t, testutil.CollectAndCount(redisUp), "there is no Redis any more")
}

func TestRedisError_IsOutside(t *testing.T) {
	err := newWorld(t).r.redis.with(t.Context(), redisTarget{host: "127.0.0.1", port: 1}, func(ctx context.Context,
		client *redis.Client) error {
		return client.Ping(ctx).Err()
	})
	var caused interface{ Outside() bool }
	require.ErrorAs(t, err, &caused)
	require.True(t, caused.Outside())
}
