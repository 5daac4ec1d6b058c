// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"

	"github.com/google/cel-go/common/operators"
)

// ImpliesWhen is like Implies for objects whose fields are present or absent according to presence, as in
// TrueWhen. It proves that a rule that considers an additional new field, such as "at most one of a, b and c
// is set" instead of "at most one of a and b", affects no object without the field. Of nested fields, it uses
// those below Present fields.
func ImpliesWhen(old []string, new string, presence func(path []string) Presence) bool {
	return implies(old, new, simplifier{presence}.simplify)
}

// simplifier rewrites terms using the known presence of fields.
type simplifier struct {
	presence func([]string) Presence
}

func truthLiteral(is bool) *term {
	return &term{kind: literalKind, lit: literal{sort: boolSort, number: pick(is, 1.0, 0.0), text: strconv.FormatBool(is)}}
}

// isTruth reports whether a term is the given bool constant.
func (t *term) isTruth(is bool) bool {
	return t.kind == literalKind && t.lit.sort == boolSort && (t.lit.number == 1) == is
}

// place returns the path of a field of self if the fields above it can be read without error.
func (s simplifier) place(holder *term, field string) (Path, bool) {
	if holder.kind == identKind {
		return Path{property(field)}, holder.name == self
	}
	if holder.kind != selectKind {
		return nil, false
	}
	above, ok := s.place(holder.args[0], holder.name)
	if !ok || s.presence(above) != Present {
		return nil, false
	}
	return above.to(property(field)), true
}

// simplify returns an equivalent term. Variables of macros must not be named self.
func (s simplifier) simplify(t *term) *term {
	if t.kind == macroKind && slices.Contains(t.vars, self) {
		return t
	}
	if t.kind == hasKind || t.kind == optSelectKind {
		if path, ok := s.place(t.args[0], t.name); ok {
			switch known := s.presence(path); {
			case known == Absent && t.kind == optSelectKind:
				return call(".none", &term{kind: identKind, name: "optional"})
			case known != Unknown && t.kind == hasKind:
				return truthLiteral(known == Present)
			}
		}
	}
	args := make([]*term, len(t.args))
	for at, arg := range t.args {
		args[at] = s.simplify(arg)
	}
	return s.fold(t.with(args))
}

// fold evaluates expressions that constants decide.
func (s simplifier) fold(t *term) *term {
	switch {
	case t.is(operators.LogicalNot) && (t.args[0].isTruth(true) || t.args[0].isTruth(false)):
		return truthLiteral(t.args[0].isTruth(false))
	case t.is(operators.LogicalAnd, operators.LogicalOr):
		return foldJunction(t)
	case t.is(operators.Conditional) && t.args[0].isTruth(true):
		return t.args[1]
	case t.is(operators.Conditional) && t.args[0].isTruth(false):
		return t.args[2]
	case t.is(operators.Equals, operators.NotEquals) && t.args[0].kind == literalKind && t.args[1].kind == literalKind:
		if equal, known := t.args[0].lit.equals(t.args[1].lit); known {
			return truthLiteral(equal == t.is(operators.Equals))
		}
	case t.is(operators.Add) && t.args[0].isZero() && t.args[1].whole():
		return t.args[1]
	case t.is(operators.Add) && t.args[1].isZero() && t.args[0].whole():
		return t.args[0]
	case t.is(".hasValue", ".orValue") && t.args[0].is(".none"):
		return pick(t.is(".orValue"), t.args[len(t.args)-1], truthLiteral(false))
	case t.kind == macroKind && len(t.vars) == 1 && t.args[0].kind == listKind:
		return s.foldItems(t)
	}
	return t
}

func (t *term) isZero() bool {
	return t.kind == literalKind && t.lit.sort == numberSort && t.lit.text == "0"
}

// whole reports whether a term is certainly an int, such as a count of set fields.
func (t *term) whole() bool {
	switch {
	case t.kind == literalKind:
		_, err := strconv.ParseInt(t.lit.text, 10, 64)
		return t.lit.sort == numberSort && err == nil
	case t.is(operators.Conditional):
		return t.args[1].whole() && t.args[2].whole()
	case t.is(operators.Add):
		return t.args[0].whole() && t.args[1].whole()
	default:
		return t.integer()
	}
}

// foldJunction removes neutral operands. It returns a deciding operand alone, which absorbs the errors of the others.
func foldJunction(t *term) *term {
	neutral := t.is(operators.LogicalAnd)
	var args []*term
	for _, arg := range t.args {
		if arg.isTruth(!neutral) {
			return arg
		}
		if !arg.isTruth(neutral) {
			args = append(args, arg)
		}
	}
	switch len(args) {
	case 0:
		return truthLiteral(neutral)
	case 1:
		return args[0]
	default:
		return t.with(args)
	}
}

// foldItems removes the constant items of a list that have no effect on a macro.
func (s simplifier) foldItems(t *term) *term {
	passedOver, ok := map[string]bool{"all": true, "exists": false, "exists_one": false, "filter": false}[t.name]
	if !ok {
		return t
	}
	var items []*term
	for _, item := range t.args[0].args {
		if item.isTruth(true) || item.isTruth(false) {
			if s.simplify(substituteTerm(t.args[1], t.vars[0], item)).isTruth(passedOver) {
				continue
			}
		}
		items = append(items, item)
	}
	return t.with([]*term{t.args[0].with(items), t.args[1]})
}

// substituteTerm replaces a free identifier by a constant.
func substituteTerm(t *term, name string, constant *term) *term {
	if t.kind == identKind && t.name == name {
		return constant
	}
	if len(t.args) == 0 {
		return t
	}
	args := slices.Clone(t.args)
	for at := range args {
		if t.kind != macroKind || at == 0 || !slices.Contains(t.vars, name) {
			args[at] = substituteTerm(args[at], name, constant)
		}
	}
	return t.with(args)
}
