// SPDX-License-Identifier: Apache-2.0

package rules

// Verdict says how much a change hurts.
type Verdict string

// The verdicts, from harmless to worst.
const (
	// Informational is noise: nobody has to act.
	Informational Verdict = "I"
	// Safe goes forward without harm; a rollback may not.
	Safe Verdict = "S"
	// Review rejects nothing, but readers, drift, field ownership or a rollback change.
	Review Verdict = "R"
	// Breaking rejects something that was valid before, or makes it unreachable.
	Breaking Verdict = "B"
	// Destructive loses data, makes objects undeletable, or an API vanish.
	Destructive Verdict = "B!"
	// Refused is not accepted by the API server.
	Refused Verdict = "X"
)

var severity = map[Verdict]int{Informational: 0, Safe: 1, Review: 2, Breaking: 3, Destructive: 4, Refused: 5}

// Compare gives a negative number where v is less severe than other, 0 where they are equal, and a positive one else.
func (v Verdict) Compare(other Verdict) int { return severity[v] - severity[other] }

// AtLeast tells whether v is as severe as other, or more.
func (v Verdict) AtLeast(other Verdict) bool { return v.Compare(other) >= 0 }

// Breaks tells whether somebody is hurt: B, B! or X.
func (v Verdict) Breaks() bool { return v.AtLeast(Breaking) }

// Describe says the verdict in words.
func (v Verdict) Describe() string {
	switch v {
	case Refused:
		return "refused by the API server"
	case Destructive:
		return "breaking, with loss of data, undeletable objects or a vanished API"
	case Breaking:
		return "breaking"
	case Review:
		return "to be reviewed"
	case Safe:
		return "safe"
	}
	return "informational"
}
