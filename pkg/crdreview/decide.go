// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Policy says what a breaking change needs.
type Policy string

// The policies. An empty one counts as RequireApproval, an unknown one as Deny.
const (
	// Deny refuses it.
	Deny Policy = "Deny"
	// RequireApproval lets it wait for a person.
	RequireApproval Policy = "RequireApproval"
	// Warn lets it pass with a warning.
	Warn Policy = "Warn"
)

// Outcome is what becomes of a change.
type Outcome string

// The outcomes, from harmless to worst.
const (
	// Fine passes: it breaks nothing.
	Fine Outcome = "Fine"
	// Warned breaks something and passes, because the policy only tells so.
	Warned Outcome = "Warned"
	// Pending breaks something and waits for an approval, which was asked for.
	Pending Outcome = "Pending"
	// Unrequested breaks something and is refused, but would wait for an approval if one were asked for.
	Unrequested Outcome = "Unrequested"
	// Refused breaks something and is refused, whatever is asked for.
	Refused Outcome = "Refused"
)

// Refuses tells whether the change is not taken.
func (o Outcome) Refuses() bool { return o == Unrequested || o == Refused }

// Decide tells what becomes of the change that a report is about. What the API server refuses (X) is refused under every
// policy. approvalRequested says that whoever makes the change asks for an approval.
func Decide(report rules.Report, policy Policy, approvalRequested bool) Outcome {
	switch {
	case !report.Verdict.Breaks():
		return Fine
	case report.Verdict == rules.Refused:
		return Refused
	case policy == Warn:
		return Warned
	case policy != RequireApproval && policy != "":
		return Refused
	case approvalRequested:
		return Pending
	}
	return Unrequested
}
