// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var key = types.NamespacedName{Namespace: "team", Name: "s"}

func secret(finalizers ...string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, Finalizers: finalizers},
		Data: map[string][]byte{"a": []byte("1")}}
}

// anOwner returns an object that can own Secrets.
func anOwner() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: "owner", UID: "owner-uid"}}
}

// counted is a store that counts reads of contents and writes.
type counted struct {
	client.WithWatch
	gets, writes int
}

func count(objects ...client.Object) *counted {
	c := &counted{}
	c.WithWatch = interceptor.NewClient(fake.NewClientBuilder().WithObjects(objects...).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, inner client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if _, whole := object.(*corev1.Secret); whole {
				c.gets++
			}
			return inner.Get(ctx, key, object, options...)
		},
		Create: func(ctx context.Context, inner client.WithWatch, object client.Object, options ...client.CreateOption) error {
			c.writes++
			return inner.Create(ctx, object, options...)
		},
		Update: func(ctx context.Context, inner client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			c.writes++
			return inner.Update(ctx, object, options...)
		},
		Patch: func(ctx context.Context, inner client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			c.writes++
			return inner.Patch(ctx, object, patch, options...)
		},
	})
	return c
}

func TestApply(t *testing.T) {
	store := count(anOwner())
	owned := NewOwned(NewReader(store, store), store)
	one, two := map[string][]byte{"a": []byte("1"), "b": nil}, map[string][]byte{"a": []byte("2")}
	found, err := owned.Find(t.Context(), anOwner(), key.Name)
	require.NoError(t, err)
	assert.Nil(t, found)
	require.NoError(t, owned.Apply(t.Context(), anOwner(), key.Name, one))
	assert.Equal(t, 1, store.writes)
	gets := store.gets
	require.NoError(t, owned.Apply(t.Context(), anOwner(), key.Name, one))
	assert.Equal(t, []int{1, gets}, []int{store.writes, store.gets}, "what is there already costs nothing")
	assert.Zero(t, owned.contents.Len(), "what was written is not kept")
	require.NoError(t, owned.Apply(t.Context(), anOwner(), key.Name, two))
	got := secret()
	require.NoError(t, store.Get(t.Context(), key, got))
	assert.Equal(t, two, got.Data, "keys that are not wanted go")
	assert.True(t, metav1.IsControlledBy(got, anOwner()))
	assert.Equal(t, ManagedByValue, got.Labels[ManagedByLabel])

	delete(got.Labels, ManagedByLabel)
	require.NoError(t, store.Update(t.Context(), got))
	require.NoError(t, owned.Apply(t.Context(), anOwner(), key.Name, two))
	require.NoError(t, store.Get(t.Context(), key, got))
	assert.Equal(t, ManagedByValue, got.Labels[ManagedByLabel], "the label is put back")
}

func TestSecretsOfOthersAreNotWritten(t *testing.T) {
	earlier := anOwner()
	earlier.UID = "an earlier object of that name"
	held := secret()
	held.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(earlier, corev1.SchemeGroupVersion.WithKind("ConfigMap"))}
	for name, stranger := range map[string]*corev1.Secret{"without owner": secret(), "of another owner": held} {
		store := count(stranger)
		owned := NewOwned(NewReader(store, store), store)
		err := owned.Apply(t.Context(), anOwner(), key.Name, map[string][]byte{"x": nil})
		var taken *NameTakenError
		require.True(t, errors.As(err, &taken), name)
		assert.Equal(t, key, taken.Key)
		assert.Contains(t, taken.Error(), `"s"`)
		assert.Zero(t, store.writes, name)
	}
}

func TestEqual(t *testing.T) {
	assert.True(t, equal(nil, map[string][]byte{}))
	assert.True(t, equal(map[string][]byte{"a": nil}, map[string][]byte{"a": {}}))
	assert.False(t, equal(map[string][]byte{"a": nil}, map[string][]byte{"b": nil}))
	assert.False(t, equal(map[string][]byte{"a": {1}}, map[string][]byte{"a": {2}}))
	assert.False(t, equal(map[string][]byte{"a": {1}}, nil))
}

func TestProtector(t *testing.T) {
	store := count(secret("somebody/else"))
	protector := NewProtector(store, store)
	finalizers := func() []string {
		got := secret()
		require.NoError(t, store.Get(t.Context(), key, got))
		return got.Finalizers
	}
	for range 2 {
		require.NoError(t, protector.Hold(t.Context(), key))
	}
	assert.Equal(t, []string{"somebody/else", InUseFinalizer}, finalizers())
	assert.Equal(t, 1, store.writes)
	for range 2 {
		require.NoError(t, protector.Release(t.Context(), key))
	}
	assert.Equal(t, []string{"somebody/else"}, finalizers())
	assert.Equal(t, 2, store.writes)

	require.NoError(t, store.Delete(t.Context(), secret()))
	require.NoError(t, protector.Hold(t.Context(), key), "it is being deleted: no new finalizer")
	assert.Equal(t, 2, store.writes)
	absent := types.NamespacedName{Namespace: "team", Name: "absent"}
	assert.NoError(t, protector.Hold(t.Context(), absent))
	assert.NoError(t, protector.Release(t.Context(), absent))
}

func TestProtectorDoesNotOverwriteOthers(t *testing.T) {
	stale, store := count(secret()), count(secret("added/meanwhile"))
	changed := secret("added/meanwhile")
	changed.Data["a"] = []byte("2")
	require.NoError(t, store.Update(t.Context(), changed)) // a resourceVersion that the cache does not contain yet
	require.NoError(t, NewProtector(stale, store).Hold(t.Context(), key))
	got := secret()
	require.NoError(t, store.Get(t.Context(), key, got))
	assert.Equal(t, []string{"added/meanwhile", InUseFinalizer}, got.Finalizers)
	assert.Equal(t, "2", string(got.Data["a"]))
}

func TestOwned_OwnerReplaced(t *testing.T) {
	replaced := anOwner()
	replaced.UID = "new-uid"
	for name, stored := range map[string][]client.Object{"other UID": {replaced}, "not found": nil} {
		t.Run(name, func(t *testing.T) {
			store := count(stored...)
			owned := NewOwned(NewReader(store, store), store)
			err := owned.Apply(t.Context(), anOwner(), key.Name, map[string][]byte{"a": nil})
			require.True(t, apierrors.IsConflict(err), "%v", err)
			assert.Zero(t, store.writes)
		})
	}
}
