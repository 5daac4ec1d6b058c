// SPDX-License-Identifier: Apache-2.0

package check

import "time"

// Attempt is a change of a CRD without the annotation that allows a breaking change.
type Attempt struct {
	CRD        string
	Begin, End time.Time
	// Harmless reports that the change is not breaking, Refused that the guard refused it.
	Harmless, Refused bool
	// Passed reports that the CRD was changed.
	Passed bool
	// Seen reports that the controller knew the CRD as it was before the change.
	Seen bool
	// Told is the number of events that reported the change as missed at the end.
	Told int
}

// Span is a time in which the guard may have been unavailable.
type Span struct{ From, To time.Time }

// Guarded returns the violations by the guard. The guard may have been unavailable in the spans.
func Guarded(attempts []Attempt, away []Span) []Violation {
	var found []Violation
	for _, one := range attempts {
		excused := false
		for _, span := range away {
			excused = excused || one.Begin.Before(span.To) && one.End.After(span.From)
		}
		at := one.Begin.Format(time.TimeOnly)
		switch {
		case one.Harmless && one.Refused:
			found = append(found, breach(Guard, "a harmless change of CRD %s was refused at %s", one.CRD, at))
		case one.Harmless:
			continue
		case one.Passed && !excused:
			found = append(found, breach(Guard, "a breaking change of CRD %s passed at %s, and the guard was there", one.CRD, at))
		case !one.Passed && one.Told > 0:
			found = append(found, breach(Guard, "a change of CRD %s is told as missed, though it did not pass at %s", one.CRD, at))
		case one.Told > 1:
			found = append(found, breach(Guard, "the change of CRD %s at %s is told as missed %d times", one.CRD, at, one.Told))
		case one.Passed && one.Seen && one.Told == 0:
			found = append(found, breach(Guard, "a breaking change of CRD %s passed at %s and is not told as missed", one.CRD, at))
		}
	}
	return found
}
