// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

func orphaned(u *v1alpha1.User) { u.OwnerReferences = nil }

func ofOperator(u *v1alpha1.User) {
	u.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Team", Name: "blue", UID: "blue"}}
}

// deletedUsers returns the names of the Users that are being deleted.
func deletedUsers(t *testing.T, r *reconciler) []string {
	t.Helper()
	var deleted []string
	list := &v1alpha1.UserList{}
	require.NoError(t, r.Client.List(t.Context(), list))
	for _, user := range list.Items {
		if user.DeletionTimestamp != nil {
			deleted = append(deleted, user.Name)
		}
	}
	return deleted
}

func TestRemove_DeletesOnlyWhatTheDomainOwns(t *testing.T) {
	r, domain := usersWorld(t, asIs, orphaned, ofOperator)
	awaited, err := r.remove(t.Context(), domain, userDependents)
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, awaited)
	assert.Equal(t, []string{"a"}, deletedUsers(t, r))
}

// The garbage collector first removes the owner from the Users and then the finalizer from the
// Domain.
func TestRemove_WaitsForOrphaning(t *testing.T) {
	r, domain := usersWorld(t, asIs, orphaned)
	domain.Finalizers = append(domain.Finalizers, metav1.FinalizerOrphanDependents)
	awaited, err := r.remove(t.Context(), domain, userDependents)
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, awaited)
	assert.Empty(t, deletedUsers(t, r))
	stored := domain.DeepCopy()
	result, err := r.reportAwaited(t.Context(), &attempt{domain: domain.DeepCopy()}, stored, userDependents, awaited)
	require.NoError(t, err)
	assert.Equal(t, orphanWait, result.RequeueAfter)
}

// The cache still contains an owner reference that the garbage collector has removed.
func TestRemove_OrphanedSinceTheListWasRead(t *testing.T) {
	r, domain := usersWorld(t, asIs)
	cached, _ := usersWorld(t, asIs)
	user := &v1alpha1.User{}
	require.NoError(t, r.Client.Get(t.Context(), types.NamespacedName{Namespace: "team", Name: "a"}, user))
	user.OwnerReferences = nil
	require.NoError(t, r.Client.Update(t.Context(), user))
	r.Client = behind{Client: r.Client, cache: cached.Client}
	_, err := r.remove(t.Context(), domain, userDependents)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, r.Live.Get(t.Context(), client.ObjectKeyFromObject(user), user))
	assert.Nil(t, user.DeletionTimestamp)
}
