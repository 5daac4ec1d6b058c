// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"time"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// longestWait is the maximum delay between two reconciliations of an object that waits for a
// distant time, so that a clock that was set forward is noticed.
const longestWait = 12 * time.Hour

// untrustedWait is the delay before the next reconciliation of an Approval that would end, while
// the time is not trusted.
const untrustedWait = time.Minute

// observation contains the facts that decide is based on.
type observation struct {
	// now is the time of the API server. An Approval ends only if it is trusted, because that
	// cannot be undone.
	now     time.Time
	trusted bool
	// changed describes what changed since the approval was requested. It is empty if nothing
	// changed.
	changed string
	// retention is how long a decided Approval is kept. 0 means forever.
	retention time.Duration
}

// plan is what to do with an Approval.
type plan struct {
	// decision is the next value of status.decision.
	decision v1alpha1.ApprovalOutcome
	// remove is set if the Approval must be deleted because its retention has passed.
	remove bool
	// wait is the delay before the next reconciliation. 0 means none.
	wait time.Duration
}

// decide returns what to do with an Approval. It never changes a decision of a user.
func decide(approval *v1alpha1.Approval, seen observation) plan {
	status := &approval.Status
	if status.Decision != v1alpha1.OutcomePending && status.Decision != "" {
		return keep(approval, seen)
	}
	if seen.changed != "" {
		return plan{decision: v1alpha1.OutcomeVoided, wait: longestWait}
	}
	if status.ExpiresAt == nil {
		return plan{decision: v1alpha1.OutcomePending}
	}
	if !seen.trusted {
		return plan{decision: v1alpha1.OutcomePending, wait: untrustedWait}
	}
	if left := status.ExpiresAt.Sub(seen.now); left > 0 {
		return plan{decision: v1alpha1.OutcomePending, wait: min(left, longestWait)}
	}
	return plan{decision: v1alpha1.OutcomeExpired, wait: longestWait}
}

// keep returns how long to keep a decided Approval, which is the record of the decision.
func keep(approval *v1alpha1.Approval, seen observation) plan {
	next := plan{decision: approval.Status.Decision}
	if approval.Status.DecidedAt == nil || seen.retention == 0 {
		return next
	}
	if !seen.trusted {
		next.wait = longestWait
		return next
	}
	left := approval.Status.DecidedAt.Add(seen.retention).Sub(seen.now)
	if left <= 0 {
		next.remove = true
		return next
	}
	next.wait = min(left, longestWait)
	return next
}

// final reports whether an Approval with the outcome can no longer be decided.
func final(outcome v1alpha1.ApprovalOutcome) bool {
	return outcome != v1alpha1.OutcomePending && outcome != ""
}
