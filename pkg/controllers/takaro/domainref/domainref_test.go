// SPDX-License-Identifier: Apache-2.0

package domainref

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

func TestClaim(t *testing.T) {
	kinds := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	domain, user := &v1alpha1.Domain{}, &v1alpha1.User{}
	domain.Namespace, domain.Name, domain.UID = "team", "arena", "uid"
	user.Namespace = "team"
	live := fake.NewClientBuilder().WithScheme(kinds).WithObjects(domain).Build()
	claim := func(of *v1alpha1.Domain) bool {
		changed, err := Claim(t.Context(), live, user, "test/finalizer", of, kinds)
		require.NoError(t, err)
		return changed
	}
	leaving := domain.DeepCopy()
	leaving.DeletionTimestamp = &metav1.Time{}
	assert.True(t, claim(nil))
	assert.False(t, claim(nil))
	assert.False(t, claim(leaving), "it owns nothing new")
	assert.Empty(t, user.OwnerReferences)
	assert.True(t, claim(domain))
	assert.False(t, claim(domain))
	assert.Equal(t, domain.UID, user.OwnerReferences[0].UID)
	assert.Equal(t, []string{"test/finalizer"}, user.Finalizers)
	others := metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Team", Name: "blue", UID: "blue"}
	user.OwnerReferences = append(user.OwnerReferences, others)
	assert.True(t, claim(domain), "it would outlive its owner")
	assert.False(t, claim(domain))
	assert.Equal(t, []metav1.OwnerReference{others}, user.OwnerReferences)
}

func TestMatters(t *testing.T) {
	matters := func(change func(*v1alpha1.Domain)) bool {
		before := &v1alpha1.Domain{Status: v1alpha1.DomainStatus{DomainID: "a"}}
		now := before.DeepCopy()
		change(now)
		return Matters.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: now})
	}
	limit := int32(3)
	assert.False(t, matters(func(*v1alpha1.Domain) {}))
	assert.False(t, matters(func(d *v1alpha1.Domain) { d.Status.Users.Ready = 7 }), "its counts are of us")
	assert.True(t, matters(func(d *v1alpha1.Domain) { d.Generation = 1 }))
	assert.True(t, matters(func(d *v1alpha1.Domain) { d.Status.DomainID = "b" }))
	assert.True(t, matters(func(d *v1alpha1.Domain) {
		d.Status.Ownership = &ownership.Status{Records: []ownership.Record{{Kind: "Domain", ID: "b", State: ownership.Held}}}
	}))
	assert.True(t, matters(func(d *v1alpha1.Domain) {
		d.Status.RegistrationTokenSecretRef = &v1alpha1.LocalObjectReference{Name: "token"}
	}))
	assert.True(t, matters(func(d *v1alpha1.Domain) { d.Status.ObservedLimits = &v1alpha1.DomainLimits{MaxUsers: &limit} }))
	assert.True(t, matters(func(d *v1alpha1.Domain) {
		d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionEndpointReady, Status: metav1.ConditionFalse}}
	}))
	assert.True(t, matters(func(d *v1alpha1.Domain) {
		d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSynced, Reason: v1alpha1.ReasonDeletionHeld}}
	}), "its deletion is held")
	assert.True(t, matters(func(d *v1alpha1.Domain) {
		d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSynced, Reason: v1alpha1.ReasonVanished}}
	}), "it is missing in Takaro")
}

func TestDomainID(t *testing.T) {
	domain := &v1alpha1.Domain{Status: v1alpha1.DomainStatus{DomainID: "written"}}
	assert.Equal(t, "written", DomainID(domain), "of an earlier release")
	domain.Status.Ownership = &ownership.Status{}
	assert.Empty(t, DomainID(domain), "a status that anybody wrote")
	domain.Status.Ownership.Records = []ownership.Record{
		{Kind: "Domain", ID: "lost", State: ownership.Lost}, {Kind: "Other", ID: "other", State: ownership.Held},
		{Kind: "Domain", ID: "held", State: ownership.Held},
	}
	assert.Equal(t, "held", DomainID(domain))
}

func TestClaim_DomainReplaced(t *testing.T) {
	kinds := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(kinds))
	cached, user := &v1alpha1.Domain{}, &v1alpha1.User{}
	cached.Namespace, cached.Name, cached.UID = "team", "arena", "old"
	user.Namespace = "team"
	stored := cached.DeepCopy()
	stored.UID = "new"
	for name, live := range map[string]*fake.ClientBuilder{
		"other UID": fake.NewClientBuilder().WithScheme(kinds).WithObjects(stored),
		"not found": fake.NewClientBuilder().WithScheme(kinds),
	} {
		_, err := Claim(t.Context(), live.Build(), user, "test/finalizer", cached, kinds)
		require.True(t, apierrors.IsConflict(err), "%s: %v", name, err)
		require.Empty(t, user.OwnerReferences, name)
	}
}
