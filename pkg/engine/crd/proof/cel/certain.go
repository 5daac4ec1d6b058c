// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// certain reports whether an atom is true or false, because nothing that it depends on can fail according to the known facts.
func (k *known) certain(atom *term) bool {
	if k.facts[atom.key] || k.facts["not "+atom.key] {
		return true
	}
	switch {
	case atom.kind == hasKind:
		return k.holdsFields(atom.args[0])
	case atom.is(operators.Equals):
		return k.readable(atom.args[0]) && k.readable(atom.args[1]) && (k.scalar(atom.args[0]) || k.scalar(atom.args[1]))
	case atom.is(operators.In):
		_, constant := atom.args[1].constants()
		return constant && k.readable(atom.args[0])
	case atom.is(operators.Less, operators.LessEquals):
		_, _, ok := k.sides(atom)
		return ok
	default:
		return false
	}
}

// holdsFields reports whether fields of a value can be tested because other fields of it were read or
// tested, in every way in which the rules can be true.
func (k *known) holdsFields(t *term) bool {
	if k.objects[t.key] {
		return true
	}
	for _, clause := range k.clauses {
		if t.chain() && k.spend(1) && k.touches(clause, t.key) {
			return true
		}
	}
	return false
}

// touches reports whether a formula holds only if fields of a value are read or tested.
func (k *known) touches(f formula, holder string) bool {
	if !k.spend(1) {
		return false
	}
	alone := func(sub formula) bool { return k.touches(sub, holder) }
	switch f.is {
	case single:
		read := newKnown(k.prover)
		read.evaluated(f.fact.atom)
		return read.objects[holder]
	case both:
		return slices.ContainsFunc(f.subs, alone)
	case either:
		return !slices.ContainsFunc(f.subs, func(sub formula) bool { return !alone(sub) })
	default:
		return f.is == never
	}
}

// readable reports whether a term can be evaluated without error: values of the object must be present.
func (k *known) readable(t *term) bool {
	switch t.kind {
	case literalKind:
		return true
	case identKind:
		return t.name == self || strings.HasPrefix(t.name, plainVariable)
	case selectKind:
		field := "has(" + t.key + ")"
		return t.args[0].chain() && (k.present[field] || k.facts[field])
	default:
		_, ok := k.interval(t)
		return ok
	}
}

// scalar reports whether a value is neither a list nor an object. Comparisons of lists and objects fail if
// one contains null where the other does not.
func (k *known) scalar(t *term) bool {
	for _, of := range []string{"string", "int", "double", "bool"} {
		if k.hasType(t, of) {
			return true
		}
	}
	return t.kind == literalKind || t.computes() || slices.ContainsFunc(k.domainOf(t).given, func(c constraint) bool {
		return c.kind != among || c.holds && !slices.ContainsFunc(c.among,
			func(l literal) bool { return l.sort == otherSort || l.sort == nullSort })
	})
}

// hasType reports whether a value is known to have a type, by type(x) == string or similar.
func (k *known) hasType(t *term, name string) bool {
	return k.facts["("+name+" == type("+t.key+"))"]
}

// decided reports whether a condition in normal form is true or false. An operand that is not evaluated
// because another operand decides need not be certain.
func (k *known) decided(t *term) bool {
	if !k.spend(1) {
		return false
	}
	switch {
	case k.broken, t.kind == literalKind && t.lit.sort == boolSort:
		return true
	case t.is(operators.LogicalNot):
		return k.decided(t.args[0])
	case t.is(operators.LogicalAnd, operators.LogicalOr):
		return k.clone().decidedInTurn(t)
	case t.is(operators.Conditional):
		return k.decided(t.args[0]) && k.given(t.args[0], true).decided(t.args[1]) && k.given(t.args[0], false).decided(t.args[2])
	case t.comparesBooleans():
		return k.decided(t.args[0]) && k.decided(t.args[1])
	default:
		k.visit(t)
		return k.certain(t.unequalAsEqual())
	}
}

// decidedInTurn reports whether the operands of && or || are decided in some order, each under the
// assumption that the operands before it do not decide the result.
func (k *known) decidedInTurn(t *term) bool {
	left := append([]*term(nil), t.args...)
	for len(left) > 0 {
		found := -1
		for at, arg := range left {
			if k.decided(arg) {
				found = at
				break
			}
		}
		if found < 0 {
			return false
		}
		k.learn(k.statement(conditioned(left[found], t.is(operators.LogicalAnd))))
		left = append(left[:found:found], left[found+1:]...)
	}
	return true
}

// given returns the known facts under the assumption that a condition is true, or false.
func (k *known) given(condition *term, is bool) *known {
	branch := k.clone()
	branch.learn(branch.statement(conditioned(condition, is)))
	branch.resolve()
	return branch
}

// conditioned returns the normal form of a condition or of its negation.
func conditioned(t *term, is bool) *term {
	if is {
		return normal(t)
	}
	return normal(call(operators.LogicalNot, t))
}

// unequalAsEqual returns the atom that represents an inequality.
func (t *term) unequalAsEqual() *term {
	if t.is(operators.NotEquals) {
		return seal(call(operators.Equals, t.args...))
	}
	return t
}

// opens proves a formula by cases: for both values of one of its certain atoms.
func (k *known) opens(goal formula) bool {
	if !k.excludedMiddle {
		return false
	}
	atom := k.openAtom(goal)
	if atom == nil {
		return false
	}
	for _, holds := range []bool{true, false} {
		branch := k.clone()
		branch.learnFact(fact{atom, holds})
		if !branch.proves(goal) {
			return false
		}
	}
	return true
}

// openAtom returns an atom that is certain, but whose value is not known.
func (k *known) openAtom(f formula) *term {
	if f.is == single {
		if a := f.fact.atom; !k.facts[a.key] && !k.facts["not "+a.key] && !k.present[a.key] && k.certain(a) {
			return a
		}
		return nil
	}
	for _, sub := range f.subs {
		if atom := k.openAtom(sub); atom != nil {
			return atom
		}
	}
	return nil
}

// resolve removes refuted alternatives from clauses, and learns the last remaining alternative.
func (k *known) resolve() {
	for again := true; again && k.spend(1+len(k.clauses)); {
		again = false
		for at, clause := range k.clauses {
			var left []formula
			for _, sub := range clause.subs {
				if sub.is != never && (sub.is != single || !k.refuted(sub.fact)) {
					left = append(left, sub)
				}
			}
			if len(left) > 1 {
				continue
			}
			k.clauses = append(k.clauses[:at:at], k.clauses[at+1:]...)
			if len(left) == 0 {
				k.broken = true
				return
			}
			k.learn(left[0])
			again = true
			break
		}
	}
}

// refuted reports whether a fact contradicts the known facts.
func (k *known) refuted(f fact) bool {
	return k.facts[f.opposite().key()] || !f.holds && k.present[f.atom.key]
}

// sameOnBothSides reports whether a term compares a value with itself. Such an equality is never false:
// JSON has no NaN, and a map list has no duplicate keys.
func (t *term) sameOnBothSides() bool {
	return t.is(operators.Equals) && t.args[0].key == t.args[1].key && t.args[0].plain()
}
