// SPDX-License-Identifier: Apache-2.0

package policy

import "roadstead.dev/roadstead/pkg/engine/crd/rules"

// Outcome is the result of the decision about a change.
type Outcome string

// The outcomes, from harmless to worst.
const (
	// Fine means that the change breaks nothing.
	Fine Outcome = "Fine"
	// PassedWithWarning means that the change breaks something and is accepted because the policy is Warn.
	PassedWithWarning Outcome = "Warned"
	// Pending means that the change breaks something and waits for the requested approval.
	Pending Outcome = "Pending"
	// Unrequested means that the change breaks something and is rejected, but would wait for an approval if one were requested.
	Unrequested Outcome = "Unrequested"
	// Refused means that the change breaks something and is rejected, even if an approval is requested.
	Refused Outcome = "Refused"
)

// Refuses reports whether the change is rejected.
func (o Outcome) Refuses() bool { return o == Unrequested || o == Refused }

// Decide returns the outcome of the change that a report describes. A change that the API server rejects
// (X) is rejected under every policy. An empty policy counts as RequireApproval, and any policy other than
// RequireApproval and Warn as Deny. approvalRequested is set if the author of the change requests an
// approval.
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
