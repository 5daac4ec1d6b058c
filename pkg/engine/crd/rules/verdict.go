// SPDX-License-Identifier: Apache-2.0

package rules

// Verdict is the severity of a change.
type Verdict string

// The verdicts, in ascending order of severity.
const (
	// Informational changes need no action.
	Informational Verdict = "I"
	// Safe changes break nothing, but a rollback may.
	Safe Verdict = "S"
	// Review changes reject nothing, but affect readers, defaults, field ownership or a rollback.
	Review Verdict = "R"
	// Breaking changes reject something that was valid before, or make it unreachable.
	Breaking Verdict = "B"
	// Destructive changes lose data, leave objects that cannot be deleted, or remove an API.
	Destructive Verdict = "B!"
	// Refused changes are rejected by the API server, or must not be applied.
	Refused Verdict = "X"
)

var severity = map[Verdict]int{Informational: 0, Safe: 1, Review: 2, Breaking: 3, Destructive: 4, Refused: 5}

// Compare returns a negative number if v is less severe than other, 0 if they are equal, and a positive number otherwise.
func (v Verdict) Compare(other Verdict) int { return severity[v] - severity[other] }

// AtLeast reports whether v is at least as severe as other.
func (v Verdict) AtLeast(other Verdict) bool { return v.Compare(other) >= 0 }

// Breaks reports whether the verdict is B, B! or X.
func (v Verdict) Breaks() bool { return v.AtLeast(Breaking) }

// Describe returns the verdict in words.
func (v Verdict) Describe() string {
	switch v {
	case Refused:
		return "refused by the API server"
	case Destructive:
		return "breaking, with loss of data, undeletable objects or a removed API"
	case Breaking:
		return "breaking"
	case Review:
		return "to be reviewed"
	case Safe:
		return "safe"
	}
	return "informational"
}
