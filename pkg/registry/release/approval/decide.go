// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// word is the decision of one user about an Approval.
type word struct {
	user    string
	outcome release.ApprovalOutcome // Approved or Rejected
	reason  string
	at      time.Time
	// ownRequest allows users to approve what they requested.
	ownRequest bool
}

// decide records a user's decision in the status of an Approval. It returns an API error if the
// decision does not count.
func decide(approval *release.Approval, said word) error {
	status := &approval.Status
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(release.Resource("approvals"), approval.Name, fmt.Errorf(format, args...))
	}
	approves := said.outcome == release.OutcomeApproved
	switch {
	case status.Decision != release.OutcomePending:
		return conflict("it has already been decided: %s%s", status.Decision, byWhom(approval))
	case status.ExpiresAt != nil && !said.at.Before(status.ExpiresAt.Time):
		return conflict("it expired at %s; to request an approval again, delete %s %s and create it again",
			status.ExpiresAt.UTC().Format(time.RFC3339), approval.Spec.Subject.Kind, approval.Spec.Subject.Name)
	case approves && said.user == approval.Spec.RequestedBy && !said.ownRequest:
		return apierrors.NewForbidden(release.Resource("approvals/approve"), approval.Name,
			fmt.Errorf("%s requested this change, so another user must approve it", said.user))
	case approves && hasApproved(approval, said.user):
		return conflict("%s has already approved it; %d of %d required users have approved, and each user counts once", said.user,
			approvals(approval), approval.Spec.Levels)
	}
	record := release.ApprovalRecord{User: said.user, Decision: said.outcome, Reason: said.reason,
		Time: metav1.NewTime(said.at.UTC()).Rfc3339Copy()}
	if approves {
		record.Level = int32(approvals(approval)) + 1
	}
	status.Decisions = append(status.Decisions, record)
	if !approves || record.Level >= approval.Spec.Levels {
		status.Decision = said.outcome
		status.DecidedAt = &record.Time
	}
	return nil
}

// approvals returns the number of users that approved.
func approvals(approval *release.Approval) int {
	count := 0
	for _, record := range approval.Status.Decisions {
		if record.Decision == release.OutcomeApproved {
			count++
		}
	}
	return count
}

func hasApproved(approval *release.Approval, user string) bool {
	for _, record := range approval.Status.Decisions {
		if record.Decision == release.OutcomeApproved && record.User == user {
			return true
		}
	}
	return false
}

// byWhom returns " by " and the user that decided last; empty if the Approval was not decided by a
// user.
func byWhom(approval *release.Approval) string {
	said := approval.Status.Decisions
	if len(said) == 0 || said[len(said)-1].Decision != approval.Status.Decision {
		return ""
	}
	return " by " + said[len(said)-1].User
}
