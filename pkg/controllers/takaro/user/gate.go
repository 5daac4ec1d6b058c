// SPDX-License-Identifier: Apache-2.0

package user

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
)

// gate returns what a User waits for at its Domain, or nil if Takaro may be called. domain is nil
// if the Domain does not exist. The next change of the Domain wakes the User.
func gate(user *v1alpha1.User, domain *v1alpha1.Domain) *base.Blocked {
	wait := func(reason, format string, args ...any) *base.Blocked {
		return &base.Blocked{Unknown: true, Reason: reason,
			Message: fmt.Sprintf("Domain %q ", user.Spec.DomainRef.Name) + fmt.Sprintf(format, args...)}
	}
	if domain == nil {
		return wait(v1alpha1.ReasonDomainNotFound, "does not exist in this namespace. Create it.")
	}
	reachable := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionEndpointReady)
	switch {
	case domain.DeletionTimestamp != nil:
		return wait(v1alpha1.ReasonDomainDeleting, "is being deleted, and this object with it.")
	case domainref.DomainID(domain) == "":
		return wait(v1alpha1.ReasonDomainNotReady, "has no Takaro domain yet. See its conditions.")
	case reachable != nil && reachable.Status == metav1.ConditionFalse:
		return wait(v1alpha1.ReasonDomainNotReady, "is not ready: %s. See its conditions.", reachable.Reason)
	case domainref.Missing(domain):
		return wait(v1alpha1.ReasonDomainNotReady, "is missing in Takaro. See its conditions.")
	case domainref.InMaintenance(domain):
		return wait(v1alpha1.ReasonDomainInMaintenance, "is in maintenance or disabled. The User is updated when that ends.")
	}
	return nil
}
