// SPDX-License-Identifier: Apache-2.0

package user

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// A Domain that retains its Takaro domain waits for its Users. Takaro may have lost that domain,
// and then responds to requests about its users with 500 forever.
func TestDeletion_DomainGoneFromTakaro(t *testing.T) {
	for name, tc := range map[string]struct {
		given func(*world)
		ends  bool
	}{
		"the domain answers": {func(*world) {}, true},
		"the domain is gone": {func(w *world) { require.True(w.T, w.Takaro.RemoveDomain(w.domainID)) }, true},
		"recorded as lost": {func(w *world) {
			require.True(w.T, w.Takaro.RemoveDomain(w.domainID))
			w.setDomain(lost(w.domainID))
		}, true},
		"another domain was lost":      {func(w *world) { w.setDomain(lost("another")) }, false},
		"nothing is known of a domain": {func(w *world) { w.setDomain(v1alpha1.DomainStatus{Ownership: &ownership.Status{}}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.addUser()
			controller := w.controller(w.Store)
			w.Settle(controller)
			w.requireReady()
			w.editDomain(func(d *v1alpha1.Domain) { d.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
			tc.given(w)
			w.Delete()
			w.Settle(controller)
			if tc.ends {
				require.Nil(t, w.Object())
				assert.Empty(t, w.inTakaro())
				return
			}
			assert.Equal(t, "False DeletionBlocked", w.Condition(v1alpha1.ConditionReady))
		})
	}
}

// A Domain waits for a minute before it replaces a domain that is missing. During that time its
// Users are missing too.
func TestReady_DomainMissing(t *testing.T) {
	w := newWorld(t)
	w.addUser()
	controller := w.controller(w.Store)
	w.Settle(controller)
	w.requireReady()
	require.True(t, w.Takaro.RemoveDomain(w.domainID))
	missing := held(w.domainID)
	missing.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSynced, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonVanished}}
	w.setDomain(missing)
	w.Settle(controller)
	assert.Equal(t, "False DomainNotReady", w.Condition(v1alpha1.ConditionReady))
}

// lost returns the status of a Domain whose Takaro domain no longer exists.
func lost(domainID string) v1alpha1.DomainStatus {
	return v1alpha1.DomainStatus{Ownership: &ownership.Status{Records: []ownership.Record{{
		Kind: "Domain", ID: domainID, Key: "roadstead:test:domain-uid", State: ownership.Lost, Origin: ownership.Created, Since: metav1.Now(),
	}}}}
}
