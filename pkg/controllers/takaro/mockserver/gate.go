// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// maintenanceWait is the delay between checks of a domain for which Takaro reports maintenance
// although its Domain does not: the maintenance is about to end.
const maintenanceWait = 2 * time.Second

// gate returns what a MockServer waits for at its Domain, or nil if work can start. domain is nil
// if the Domain does not exist. The next change of the Domain wakes the MockServer.
func gate(server *v1alpha1.MockServer, domain *v1alpha1.Domain) *base.Blocked {
	if server.Spec.DomainRef == nil {
		return nil
	}
	wait := func(reason, format string, args ...any) *base.Blocked {
		return &base.Blocked{Unknown: true, Reason: reason,
			Message: fmt.Sprintf("Domain %q ", server.Spec.DomainRef.Name) + fmt.Sprintf(format, args...)}
	}
	if domain == nil {
		return wait(v1alpha1.ReasonDomainNotFound, "is not in this namespace; waiting for it")
	}
	reachable := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionEndpointReady)
	switch {
	case domain.DeletionTimestamp != nil:
		return wait(v1alpha1.ReasonDomainDeleting, "is being deleted, and this object with it")
	case domainref.DomainID(domain) == "" || domain.Status.RegistrationTokenSecretRef == nil:
		return wait(v1alpha1.ReasonDomainNotReady, "has no Takaro domain yet; waiting for it")
	case domainref.Missing(domain):
		return wait(v1alpha1.ReasonDomainNotReady, "is missing in Takaro; see its conditions")
	case domainref.InMaintenance(domain):
		return wait(v1alpha1.ReasonDomainInMaintenance,
			"is in maintenance or disabled; pods are neither started nor restarted before the end of it")
	case reachable != nil && reachable.Status == metav1.ConditionFalse:
		return wait(v1alpha1.ReasonDomainNotReady, "waits itself, with reason %s; see its conditions", reachable.Reason)
	}
	return nil
}

// classify is like problem.Classify, for calls that Takaro rejects in a domain that is not active.
// The response has no code of its own, only a message.
func classify(doing string, err error) *base.Blocked {
	found := problem.Classify(doing, err)
	if found.Reason == v1alpha1.ReasonRequestRefused &&
		(strings.Contains(found.Message, "Domain is in maintenance") || strings.Contains(found.Message, "Domain is disabled")) {
		return dormant("Takaro says that the domain is in maintenance or disabled; waiting for the end of it")
	}
	return found
}

func dormant(message string) *base.Blocked {
	return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonDomainInMaintenance, Message: message, RequeueAfter: maintenanceWait}
}
