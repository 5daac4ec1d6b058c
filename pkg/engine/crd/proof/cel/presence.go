// SPDX-License-Identifier: Apache-2.0

package cel

// Presence is what is known about the presence of a field.
type Presence int

const (
	// Unknown means that the field may be present or absent.
	Unknown Presence = iota
	// Absent means that the field is missing wherever its parent object exists.
	Absent
	// Present means that the field exists wherever its parent object exists: it is required or has a default.
	Present
)

// maxEvaluations limits the terms that are evaluated for one proof.
const maxEvaluations = 50_000

// TrueWhen reports whether a rule is true for every object whose fields are present or absent according to
// presence. False means that there is no proof. The paths that are passed to presence begin at self and
// contain Each like Path. Present fields allow proofs of rules that read required fields without a test.
//
// The rule must compile and must read only typed fields: functions on a field that accepts any value may fail
// in ways that are not considered.
func TrueWhen(rule string, presence func(path []string) Presence) bool {
	parsed, err := Parse(rule)
	if err != nil {
		return false
	}
	e := &evaluator{presence: presence, assumed: map[string]bool{}, left: maxEvaluations}
	result := e.inAllCases(parsed.root, map[string]outcome{
		self:    {can: value, at: &spot{id: self}},
		oldSelf: {can: value, at: &spot{id: oldSelf, old: true}},
	}, "")
	return result.can == yes && e.left >= 0
}

// can is the set of possible outcomes of an expression.
type can uint8

const (
	yes   can = 1 << iota // true
	no                    // false
	fail                  // an error
	other                 // any other value
	any4  = yes | no | fail | other
	value = yes | no | other
)

// optional describes whether a value is an optional, and whether it contains a value.
type optional int

const (
	notOptional optional = iota
	empty
	filled
	maybeFilled
)

// outcome is what is known about the value of an expression.
type outcome struct {
	can can
	// lit is the value, if it is a known constant.
	lit *literal
	// list contains the items if isList is set.
	list   []outcome
	isList bool
	opt    optional
	// at is the place of the value in the object, if it is known.
	at *spot
}

// spot is a place in the object. Spots with the same ID are the same value; items of a list share a path.
type spot struct {
	id   string
	path Path
	old  bool
	// vague is set if each evaluation may refer to another value, so that no cases can be distinguished.
	vague bool
}

func (s *spot) to(element, id string) *spot {
	return &spot{id: s.id + id, path: s.path.to(element), old: s.old, vague: s.vague}
}

// or returns what is known if either of two outcomes occurs.
func (o outcome) or(p outcome) outcome {
	all := outcome{can: o.can | p.can}
	if o.opt != notOptional || p.opt != notOptional {
		all.opt = pick(o.opt == p.opt, o.opt, maybeFilled)
	}
	if o.can == fail {
		all.opt = p.opt
	}
	if p.can == fail {
		all.opt = o.opt
	}
	return all
}

// condition returns the outcome as a condition: values other than bools fail.
func (o outcome) condition() can {
	if o.can&(yes|no) == 0 {
		return fail
	}
	return o.can &^ other
}

// evaluator evaluates a rule with the known presence of fields.
type evaluator struct {
	presence func([]string) Presence
	assumed  map[string]bool // ID → whether the field is present, in the current case
	needed   []string        // IDs whose presence affects the result
	left     int
}

// presenceOf returns the presence of a field in the current case.
func (e *evaluator) presenceOf(s *spot) Presence {
	if !s.old {
		if known := e.presence(s.path); known != Unknown {
			return known
		}
	}
	if there, ok := e.assumed[s.id]; ok && !s.vague {
		return pick(there, Present, Absent)
	}
	return Unknown
}

// need records that distinguishing cases by the presence of a field may help.
func (e *evaluator) need(s *spot) {
	if !s.vague {
		e.needed = append(e.needed, s.id)
	}
}
