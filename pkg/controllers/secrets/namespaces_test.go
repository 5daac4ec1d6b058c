// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		namespaces []string
		served     bool
	}{
		"all namespaces":     {nil, true},
		"among them":         {[]string{"roadstead-system", key.Namespace}, true},
		"not among them":     {[]string{"roadstead-system"}, false},
		"part of their name": {[]string{key.Namespace + "-a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			store := count(anOwner(), secret())
			reader := Within(store, c.namespaces)
			owned, protector := NewOwned(NewReader(reader, reader), store), NewProtector(reader, store)
			_, got := owned.Get(t.Context(), key)
			_, live := owned.GetLive(t.Context(), key)
			_, found := owned.Find(t.Context(), anOwner(), "absent")
			_, holds := owned.Holds(t.Context(), anOwner(), "absent", "a", nil)
			for use, err := range map[string]error{
				"Get": got, "GetLive": live, "Find": found, "Holds": holds,
				"Hold":    protector.Hold(t.Context(), key),
				"Release": protector.Release(t.Context(), key),
				"Apply":   owned.Apply(t.Context(), anOwner(), "other", map[string][]byte{"a": nil}),
			} {
				if c.served {
					require.NoError(t, err, use)
					continue
				}
				var notServed *NamespaceNotServedError
				require.ErrorAs(t, err, &notServed, use)
				assert.Equal(t, key.Namespace, notServed.Namespace)
			}
			if !c.served {
				assert.Equal(t, []int{0, 0}, []int{store.gets, store.writes}, "no request is sent")
			}
			require.NoError(t, owned.Delete(t.Context(), anOwner(), "other"), "the garbage collector deletes it where it is not served")
			require.NoError(t, reader.Get(t.Context(), types.NamespacedName{Namespace: key.Namespace, Name: "owner"}, &corev1.ConfigMap{}),
				"other kinds are not affected")
		})
	}
}

func TestWithin_AllNamespaces(t *testing.T) {
	store := count()
	assert.Equal(t, client.Reader(store), Within(store, []string{}), "nothing is between the reader and the cache")
}
