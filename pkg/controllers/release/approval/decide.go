// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"time"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// longestWait is between two looks at an object that waits for a time far away, so that a clock which was set forward is
// noticed.
const longestWait = 12 * time.Hour

// untrustedWait is until the next look at an Approval that would end, while the time is not trusted.
const untrustedWait = time.Minute

// observation is what decides what becomes of an Approval.
type observation struct {
	// now is the time of the API server. Nothing ends by it unless it is trusted: what ends here never comes back.
	now     time.Time
	trusted bool
	// changed says what is not as it was when the question was asked; empty where all is.
	changed string
	// retention is how long a decided Approval is kept; 0 is for ever.
	retention time.Duration
}

// plan is what is to be done with an Approval.
type plan struct {
	// decision is the next value of status.decision.
	decision v1alpha1.ApprovalOutcome
	// remove says that it was kept long enough.
	remove bool
	// wait is when to look again; 0 is never.
	wait time.Duration
}

// decide tells what becomes of an Approval. What people decided is never touched.
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

// keep tells how long a decided Approval stays: it is the record of who decided what.
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

// final tells whether nobody can decide any more.
func final(outcome v1alpha1.ApprovalOutcome) bool {
	return outcome != v1alpha1.OutcomePending && outcome != ""
}
