// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// written returns a Secret as Roadstead writes it, with changes.
func written(changes ...func(*corev1.Secret)) *corev1.Secret {
	s := secret()
	s.Labels = map[string]string{ManagedByLabel: ManagedByValue}
	for _, change := range changes {
		change(s)
	}
	return s
}

// kubectl delete --cascade=orphan leaves Secrets without an owner. An object that is created again
// with the same name continues to use them.
func TestFind_Orphaned(t *testing.T) {
	deleting := anOwner()
	deleting.DeletionTimestamp, deleting.Finalizers = &metav1.Time{}, []string{"x/y"}
	for name, c := range map[string]struct {
		stored *corev1.Secret
		owner  *corev1.ConfigMap
		taken  bool
	}{
		"orphaned":                 {written(), anOwner(), false},
		"not written by Roadstead": {secret(), anOwner(), true},
		"owned by somebody": {written(func(s *corev1.Secret) {
			s.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: "other"}}
		}), anOwner(), true},
		"owner is being deleted": {written(), deleting, true},
	} {
		t.Run(name, func(t *testing.T) {
			store := fake.NewClientBuilder().WithObjects(c.stored, anOwner()).Build()
			owned := NewOwned(NewReader(store, store), store)
			for range 2 {
				found, err := owned.Find(t.Context(), c.owner, key.Name)
				var nameTaken *NameTakenError
				require.Equal(t, c.taken, errors.As(err, &nameTaken), "%v", err)
				if !c.taken {
					assert.Equal(t, "1", string(found.Data["a"]), "the content stays")
				}
			}
			stored := secret()
			require.NoError(t, store.Get(t.Context(), key, stored))
			assert.Equal(t, !c.taken, metav1.IsControlledBy(stored, c.owner))
		})
	}
}

func TestDelete_Orphans(t *testing.T) {
	owner := anOwner()
	store := fake.NewClientBuilder().WithObjects(owner).Build()
	owned := NewOwned(NewReader(store, store), store)
	require.NoError(t, owned.Apply(t.Context(), owner, key.Name, map[string][]byte{"a": nil}))
	owner.DeletionTimestamp, owner.Finalizers = &metav1.Time{}, []string{metav1.FinalizerOrphanDependents}
	require.NotEmpty(t, owned.versions.known)
	require.NoError(t, owned.Delete(t.Context(), owner, key.Name))
	require.NoError(t, store.Get(t.Context(), key, secret()), "--cascade=orphan keeps it")
	assert.Empty(t, owned.versions.known, "the owner does not need it any more")
}

// The garbage collector orphans a Secret after it was read.
func TestDelete_OrphanedSinceItWasRead(t *testing.T) {
	owner := anOwner()
	store := fake.NewClientBuilder().WithObjects(owner).Build()
	cached := fake.NewClientBuilder().Build()
	owned := NewOwned(NewReader(cached, store), store)
	require.NoError(t, owned.Apply(t.Context(), owner, key.Name, map[string][]byte{"a": nil}))
	stored := secret()
	require.NoError(t, store.Get(t.Context(), key, stored))
	old := stored.DeepCopy()
	old.ResourceVersion = ""
	require.NoError(t, cached.Create(t.Context(), old))
	owned.contents.Set(key, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name, UID: old.UID, ResourceVersion: old.ResourceVersion, OwnerReferences: stored.OwnerReferences,
	}})
	stored.OwnerReferences = nil
	require.NoError(t, store.Update(t.Context(), stored))
	err := owned.Delete(t.Context(), owner, key.Name)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, store.Get(t.Context(), key, secret()))
}
