// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/controllertest"
)

// A mock server registers with Takaro before it connects to its Redis, and then keeps trying to
// connect: Takaro would reach a game server that simulates nothing.
func TestARedisOfASpecMustBeThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := int32(listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, listener.Close())
	w := newWorld(t, func(_ *v1alpha1.Domain, m *v1alpha1.MockServer) {
		m.Spec.Redis = &v1alpha1.MockServerRedis{Host: "127.0.0.1", Port: &closed, Username: "default",
			PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "own", Key: "password"}}
	})
	w.Add(controllertest.NewSecret(controllertest.Namespace, "own", nil, map[string]string{"password": "of-nobody"}))
	stopped := func(why string) {
		t.Helper()
		_, err := w.r.Reconcile(t.Context(), w.Request())
		require.Error(t, err, "it is tried again")
		assert.Equal(t, "False RedisUnavailable", w.Condition("Ready"))
		assert.Equal(t, "False RedisUnavailable", w.Condition("Deployed"))
		assert.Contains(t, w.Message("Ready"),
			fmt.Sprintf(`while looking for the Redis of spec.redis: Redis at 127.0.0.1:%d (Secret "%s/own" under key "password"): %s`,
				*w.Object().Spec.Redis.Port, controllertest.Namespace, why))
		assert.NotContains(t, w.Message("Ready"), "of-nobody")
	}
	stopped("the connection was refused")
	w.change(func(spec *v1alpha1.MockServerSpec) {
		spec.Redis.Host, spec.Redis.Port = shared.Host, ptr.To(int32(shared.Port))
	})
	stopped("the username or the password is wrong (WRONGPASS)")
	own := w.Secret("own")
	own.Data["password"] = []byte(shared.Password)
	require.NoError(t, w.Store.Update(t.Context(), own))
	w.Once(w.r)
	require.NotEqual(t, "False RedisUnavailable", w.Condition("Ready"))
	require.NoError(t, w.Store.Get(t.Context(), w.Request().NamespacedName, &appsv1.StatefulSet{}), "now pods may run")
}
