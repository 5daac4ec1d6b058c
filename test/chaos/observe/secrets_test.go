// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/framework/install"
)

func TestSecrets(t *testing.T) {
	client := fake.NewClientset()
	var told, lost atomic.Int32
	s, err := StartSecrets(client, func(check.Secret) bool { return lost.Load() > 0 }, func(v check.Violation) {
		require.Equal(t, check.Once, v.Rule)
		told.Add(1)
	})
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	put := func(namespace, name string, data map[string]string) {
		t.Helper()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
		for key, value := range data {
			secret.Data[key] = []byte(value)
		}
		secrets := client.CoreV1().Secrets(namespace)
		if _, err := secrets.Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
			_, err = secrets.Create(t.Context(), secret, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		eventually(t, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			for key, value := range data {
				if string(s.last[namespace+"/"+name].Data[key]) != value {
					return false
				}
			}
			return true
		})
	}
	root := func(data map[string]string) { t.Helper(); put("chaos-1", "a-root", data) }
	root(map[string]string{"password": "p1"})
	root(map[string]string{"password": "p2", "password.old": "p1"})
	require.Zero(t, told.Load(), "the former password is kept")
	root(map[string]string{"password": "p3"})
	eventually(t, func() bool { return told.Load() == 1 })

	require.NoError(t, client.CoreV1().Secrets("chaos-1").Delete(t.Context(), "a-root", metav1.DeleteOptions{}))
	root(map[string]string{"password": "p4"})
	eventually(t, func() bool { return told.Load() == 2 })

	lost.Store(1)
	root(map[string]string{"password": "p5"})
	put(install.Namespace, world.SeedSecret, map[string]string{"seed": "s1"})
	put(install.Namespace, world.SeedSecret, map[string]string{"seed": "s2"})
	eventually(t, func() bool { return told.Load() == 3 })
}
