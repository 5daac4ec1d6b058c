// SPDX-License-Identifier: Apache-2.0

package cel

// Presence tells what is known of a field.
type Presence int

const (
	// Unknown is a field that may be there or not.
	Unknown Presence = iota
	// Absent is a field that is missing wherever the object that holds it is there.
	Absent
	// Present is a field that is there wherever the object that holds it is there: it is required or has a default.
	Present
)

// maxEvaluations bounds the terms that are evaluated for one question.
const maxEvaluations = 50_000

// TrueWhen tells that a rule is true for every object whose fields are there or missing as presence says. False means that
// there is no proof. The paths that presence is asked for begin at self; they hold Each where Path does. To know what is
// Present proves rules that read required fields without a test.
//
// It is taken for granted that the rule compiles and that what it reads is typed: for a field that takes any value, the
// functions used on it may fail where this is not foreseen.
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

// can tells how an expression may come out.
type can uint8

const (
	yes   can = 1 << iota // true
	no                    // false
	fail                  // an error
	other                 // any other value
	any4  = yes | no | fail | other
	value = yes | no | other
)

// optional tells of a value whether it is an optional one, and whether it holds something.
type optional int

const (
	notOptional optional = iota
	empty
	filled
	maybeFilled
)

// outcome is what is known of the value of an expression.
type outcome struct {
	can can
	// lit is the value, if it is a known constant.
	lit *literal
	// list holds the items, if isList.
	list   []outcome
	isList bool
	opt    optional
	// at is where in the object the value stands, if it is known.
	at *spot
}

// spot is a place in the object. Two values with one id are the same value; two items of a list have one path.
type spot struct {
	id   string
	path Path
	old  bool
	// vague: the value may be another one each time the rule comes by, so that no case can be made of it.
	vague bool
}

func (s *spot) to(element, id string) *spot {
	return &spot{id: s.id + id, path: s.path.to(element), old: s.old, vague: s.vague}
}

// or gives what is known if either of two outcomes is so.
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

// condition is an outcome of which only truth and failure matter: what is no bool fails.
func (o outcome) condition() can {
	if o.can&(yes|no) == 0 {
		return fail
	}
	return o.can &^ other
}

// evaluator evaluates a rule with what is known of the presence of fields.
type evaluator struct {
	presence func([]string) Presence
	assumed  map[string]bool // id → whether the field is there, for the case at hand
	needed   []string        // ids whose presence decided something
	left     int
}

// presenceOf tells whether a field is there, for the case at hand.
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

// need notes that a case distinction by the presence of a field may help.
func (e *evaluator) need(s *spot) {
	if !s.vague {
		e.needed = append(e.needed, s.id)
	}
}
