// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestReader(t *testing.T) {
	type world struct {
		*testing.T
		store  *counted
		clock  *clocktesting.FakeClock
		reader *Reader
	}
	for name, c := range map[string]struct {
		// between is called between two reads.
		between func(*world)
		gets    int
		content string
	}{
		"unchanged":            {func(*world) {}, 1, "1"},
		"unchanged, life over": {func(w *world) { w.clock.Step(contentLife) }, 2, "1"},
		"in use": {func(w *world) {
			for range 10 {
				w.clock.Step(time.Minute) // the default time between comparisons
				_, err := w.reader.Get(w.Context(), key)
				require.NoError(w, err)
			}
		}, 1, "1"},
		"changed": {func(w *world) {
			changed := secret()
			changed.Data["a"] = []byte("2")
			require.NoError(w, w.store.Update(w.Context(), changed))
		}, 2, "2"},
		"created anew under the same name": {func(w *world) {
			require.NoError(w, w.store.Delete(w.Context(), secret()))
			anew := secret()
			anew.UID, anew.Data = "new", map[string][]byte{"a": []byte("9")}
			require.NoError(w, w.store.Create(w.Context(), anew))
		}, 2, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{T: t, store: count(secret()), clock: clocktesting.NewFakeClock(time.Now())}
			w.reader = newReader(w.store, w.store, w.clock)
			_, err := w.reader.Get(t.Context(), key)
			require.NoError(t, err)
			c.between(w)
			got, err := w.reader.Get(t.Context(), key)
			require.NoError(t, err)
			assert.Equal(t, c.content, string(got.Data["a"]))
			assert.Equal(t, c.gets, w.store.gets)
			w.clock.Step(contentLife)
			assert.Zero(t, w.reader.contents.Len())
		})
	}
}

func TestReader_Deleted(t *testing.T) {
	store := count(secret())
	reader := NewReader(store, store)
	_, err := reader.Get(t.Context(), key)
	require.NoError(t, err)
	require.NoError(t, store.Delete(t.Context(), secret()))
	_, err = reader.Get(t.Context(), key)
	assert.True(t, apierrors.IsNotFound(err))
	assert.Zero(t, reader.contents.Len())
}

func TestReader_ManagedFields(t *testing.T) {
	store := &watched{counted: count(secret())}
	got, err := NewReader(store, store).Get(t.Context(), key)
	require.NoError(t, err)
	require.NotEqual(t, weak.Pointer[byte]{}, store.bytes, "nothing was read")
	assert.Empty(t, got.ManagedFields)
}

// TestOwned_Unreachable checks that no content remains in memory after it was used, and that the
// Secret is still compared without a request.
func TestOwned_Unreachable(t *testing.T) {
	content := map[string][]byte{"a": bytes.Repeat([]byte("x"), 4096)}
	for name, use := range map[string]func(*testing.T, *Owned, *clocktesting.FakeClock){
		"read": func(t *testing.T, o *Owned, c *clocktesting.FakeClock) {
			_, err := o.Find(t.Context(), anOwner(), key.Name)
			require.NoError(t, err)
			c.Step(contentLife)
		},
		"read, forgotten": func(t *testing.T, o *Owned, _ *clocktesting.FakeClock) {
			_, err := o.Get(t.Context(), key)
			require.NoError(t, err)
			o.Forget(key)
		},
		"written": func(t *testing.T, o *Owned, _ *clocktesting.FakeClock) {
			require.NoError(t, o.Modify(t.Context(), anOwner(), key.Name, func(map[string][]byte) map[string][]byte {
				return map[string][]byte{"a": bytes.Repeat([]byte("y"), 4096)}
			}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := count(anOwner())
			require.NoError(t, NewOwned(NewReader(store, store), store).Apply(t.Context(), anOwner(), key.Name, content))
			clock := clocktesting.NewFakeClock(time.Now())
			watched := &watched{counted: store}
			owned := NewOwned(newReader(watched, watched, clock), store)
			use(t, owned, clock)
			require.NotEqual(t, weak.Pointer[byte]{}, watched.bytes, "nothing was read")
			runtime.GC()
			assert.Nil(t, watched.bytes.Value())
			runtime.KeepAlive(owned)
			runtime.KeepAlive(clock)
		})
	}
}

func TestOwned_Holds(t *testing.T) {
	for name, c := range map[string]struct {
		key, value string
		change     func(*corev1.Secret)
		held       bool
		// gets is the number of reads of the content.
		gets int
	}{
		"held":                     {"a", "1", nil, true, 0},
		"other value":              {"a", "2", nil, false, 0},
		"other key":                {"b", "1", nil, false, 0},
		"changed meanwhile":        {"a", "2", func(s *corev1.Secret) { s.Data["a"] = []byte("2") }, true, 1},
		"another label meanwhile":  {"a", "1", func(s *corev1.Secret) { s.Labels["x"] = "y" }, true, 1},
		"another owner meanwhile":  {"a", "1", func(s *corev1.Secret) { s.OwnerReferences[0].UID = "other" }, false, 1},
		"key is removed meanwhile": {"a", "1", func(s *corev1.Secret) { s.Data = nil }, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			store := count(anOwner())
			owned := NewOwned(NewReader(store, store), store)
			require.NoError(t, owned.Apply(t.Context(), anOwner(), key.Name, map[string][]byte{"a": []byte("1")}))
			if c.change != nil {
				stored := secret()
				require.NoError(t, store.Get(t.Context(), key, stored))
				c.change(stored)
				require.NoError(t, store.Update(t.Context(), stored))
			}
			before := store.gets
			held, err := owned.Holds(t.Context(), anOwner(), key.Name, c.key, []byte(c.value))
			var taken *NameTakenError
			if err != nil {
				require.ErrorAs(t, err, &taken)
			}
			assert.Equal(t, c.held, held)
			assert.Equal(t, c.gets, store.gets-before)
		})
	}
}

func TestOwned_HoldsWithoutSecret(t *testing.T) {
	store := count(anOwner())
	held, err := NewOwned(NewReader(store, store), store).Holds(t.Context(), anOwner(), key.Name, "a", nil)
	require.NoError(t, err)
	assert.False(t, held)
}

// watched is a store that returns Secrets with managedFields, and has a weak pointer to the content
// that was read last.
type watched struct {
	*counted
	bytes weak.Pointer[byte]
}

// Get implements client.Reader.
func (w *watched) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	err := w.counted.Get(ctx, key, object, options...)
	if read, whole := object.(*corev1.Secret); whole && err == nil {
		// A separate copy that the store does not reference.
		read.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
		read.Data = map[string][]byte{"a": bytes.Clone(read.Data["a"])}
		w.bytes = weak.Make(&read.Data["a"][0])
	}
	return err
}
