// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/parts"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// usersWorld contains Users of the Domain arena in namespace team, and some unrelated Users.
func usersWorld(t *testing.T, change ...func(*v1alpha1.User)) (*reconciler, *v1alpha1.Domain) {
	t.Helper()
	kinds := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	build := fake.NewClientBuilder().WithScheme(kinds).WithStatusSubresource(&v1alpha1.Domain{}, &v1alpha1.User{})
	for i, do := range change {
		user := &v1alpha1.User{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "team", Name: string(rune('a' + i)), UID: types.UID(rune('a' + i)), Finalizers: []string{"x/y"},
				CreationTimestamp: metav1.NewTime(time.Unix(100, 0)), OwnerReferences: []metav1.OwnerReference{{Kind: "Domain",
					Name: "arena", UID: "arena"}},
			},
			Spec: v1alpha1.UserSpec{DomainRef: v1alpha1.LocalObjectReference{Name: "arena"}},
		}
		do(user)
		build = build.WithObjects(user)
	}
	deleted := metav1.NewTime(time.Unix(200, 0))
	domain := &v1alpha1.Domain{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "arena", UID: "arena", Generation: 2,
		DeletionTimestamp: &deleted, Finalizers: []string{Finalizer}}}
	store := build.WithObjects(domain).Build()
	require.NoError(t, store.Get(t.Context(), client.ObjectKeyFromObject(domain), domain))
	return &reconciler{Parts: parts.New(parts.Shared{}, problem.NewReporter(statusKind, store, nil), store, nil)}, domain
}

func asIs(*v1alpha1.User) {}

func isReady(u *v1alpha1.User) {
	u.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
}

func elsewhere(u *v1alpha1.User) { u.Namespace = "other" }

func ofAnother(u *v1alpha1.User) { u.Spec.DomainRef.Name = "other" }

func later(u *v1alpha1.User) { u.CreationTimestamp = metav1.NewTime(time.Unix(201, 0)) }

func TestCountUsers(t *testing.T) {
	r, domain := usersWorld(t, asIs, isReady, isReady, elsewhere, ofAnother)
	require.NoError(t, r.countUsers(t.Context(), domain))
	assert.Equal(t, v1alpha1.UserCounts{Ready: 2, Total: 3}, domain.Status.Users)
}

func TestRemoveUsers(t *testing.T) {
	r, domain := usersWorld(t, asIs, isReady, elsewhere, ofAnother, later)
	for range 2 {
		awaited, err := r.remove(t.Context(), domain, userDependents)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, awaited, "later ones are not waited for")
	}
	var deleted []string
	list := &v1alpha1.UserList{}
	require.NoError(t, r.Client.List(t.Context(), list))
	for _, user := range list.Items {
		if user.DeletionTimestamp != nil {
			deleted = append(deleted, user.Name)
		}
	}
	assert.Equal(t, []string{"a", "b", "e"}, deleted, "though they are deleted")

	r, domain = usersWorld(t, elsewhere, ofAnother)
	awaited, err := r.remove(t.Context(), domain, userDependents)
	require.NoError(t, err)
	assert.Empty(t, awaited)
}

// The cache is outdated and does not contain a User yet.
func TestRemoveUsersLooksPastTheCache(t *testing.T) {
	r, domain := usersWorld(t, asIs)
	cached, _ := usersWorld(t)
	r.Client = behind{Client: r.Client, cache: cached.Client}
	awaited, err := r.remove(t.Context(), domain, userDependents)
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, awaited)
}

type behind struct {
	client.Client
	cache client.Reader
}

func (b behind) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return b.cache.List(ctx, list, options...)
}

func TestReportUsers(t *testing.T) {
	r, domain := usersWorld(t, asIs)
	result, err := r.reportAwaited(t.Context(), &attempt{domain: domain.DeepCopy()}, domain, userDependents, []string{"a", "b",
		"c", "d", "e", "f", "g"})
	require.NoError(t, err)
	assert.Equal(t, problem.ForeignWait, result.RequeueAfter)
	require.NoError(t, r.Client.Get(t.Context(), client.ObjectKeyFromObject(domain), domain))
	ready := domain.Status.Conditions[0]
	assert.Equal(t, v1alpha1.ReasonDeletingUsers, ready.Reason)
	assert.Contains(t, ready.Message, "waiting for 7 Users")
	assert.Contains(t, ready.Message, "a, b, c, d, e, …")
	assert.Equal(t, v1alpha1.DomainDeleting, domain.Status.Phase)
	assert.Equal(t, int32(1), domain.Status.Users.Total)
}

func TestUserCounts(t *testing.T) {
	plain, good := &v1alpha1.User{}, &v1alpha1.User{}
	isReady(good)
	assert.True(t, userCounts.Update(event.UpdateEvent{ObjectOld: plain, ObjectNew: good}))
	assert.True(t, userCounts.Update(event.UpdateEvent{ObjectOld: good, ObjectNew: plain}))
	assert.False(t, userCounts.Update(event.UpdateEvent{ObjectOld: good, ObjectNew: good.DeepCopy()}))
	assert.True(t, userCounts.Create(event.CreateEvent{Object: plain}))
	assert.True(t, userCounts.Delete(event.DeleteEvent{Object: plain}))
	user := &v1alpha1.User{ObjectMeta: metav1.ObjectMeta{Namespace: "team"},
		Spec: v1alpha1.UserSpec{DomainRef: v1alpha1.LocalObjectReference{Name: "arena"}}}
	assert.Equal(t, "team/arena", userDependents.requests(t.Context(), user)[0].String())
}
