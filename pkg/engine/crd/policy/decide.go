// SPDX-License-Identifier: Apache-2.0

package policy

import "roadstead.dev/roadstead/pkg/engine/crd/rules"

// Outcome is what becomes of a change.
type Outcome string

// The outcomes, from harmless to worst.
const (
	// Fine passes: it breaks nothing.
	Fine Outcome = "Fine"
	// PassedWithWarning breaks something and passes, because the policy is Warn.
	PassedWithWarning Outcome = "Warned"
	// Pending breaks something and waits for an approval, which was asked for.
	Pending Outcome = "Pending"
	// Unrequested breaks something and is refused, but would wait for an approval if one were asked for.
	Unrequested Outcome = "Unrequested"
	// Refused breaks something and is refused, whatever is asked for.
	Refused Outcome = "Refused"
)

// Refuses reports whether the change is not taken.
func (o Outcome) Refuses() bool { return o == Unrequested || o == Refused }

// Decide returns the outcome of the change that a report is about. What the API server refuses (X) is refused under every
// policy. An empty policy counts as RequireApproval, and any other than RequireApproval and Warn as Deny. approvalRequested
// says that the author of the change requests an approval.
func Decide(report rules.Report, policy Policy, approvalRequested bool) Outcome {
	switch {
	case !report.Verdict.Breaks():
		return Fine
	case report.Verdict == rules.Refused:
		return Refused
	case policy == Warn:
		return PassedWithWarning
	case policy != RequireApproval && policy != "":
		return Refused
	case approvalRequested:
		return Pending
	}
	return Unrequested
}
