// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

func columns(now clock.PassiveClock) []generic.Column[*release.Approval] {
	return []generic.Column[*release.Approval]{
		{Name: "Type", Description: "Type of the decision.", Cell: func(a *release.Approval) any { return string(a.Spec.Type) }},
		{Name: "Subject", Description: "Object that the decision is about.", Cell: func(a *release.Approval) any {
			return a.Spec.Subject.Kind + "/" + a.Spec.Subject.Name
		}},
		{Name: "Environment", Description: "Environment that the decision applies to; empty for all.",
			Cell: func(a *release.Approval) any { return a.Spec.Environment }},
		{Name: "Level", Description: "Number of users that approved, and of users that must approve.", Cell: level},
		{Name: "Decision", Description: "Pending, Approved, Rejected, Expired or Voided.",
			Cell: func(a *release.Approval) any { return string(a.Status.Decision) }},
		{Name: "Requested By", Description: "User that requested the change and therefore cannot approve it.",
			Cell: func(a *release.Approval) any { return a.Spec.RequestedBy }},
		{Name: "Expires", Description: "Time left for the decision.", Cell: func(a *release.Approval) any { return expires(a, now.Now()) }},
		{Name: "Reason", Wide: true, Description: "Reason for the request.", Cell: func(a *release.Approval) any { return a.Spec.Reason }},
	}
}

func level(approval *release.Approval) any {
	return fmt.Sprintf("%d/%d", approvals(approval), approval.Spec.Levels)
}

// expires returns the time that is left, as kubectl prints ages; nil if the Approval is decided.
func expires(approval *release.Approval, now time.Time) string {
	at := approval.Status.ExpiresAt
	switch {
	case at == nil || approval.Status.Decision != release.OutcomePending:
		return ""
	case !now.Before(at.Time):
		return "expired"
	}
	return duration.HumanDuration(at.Sub(now))
}
