// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// Normal returns a text that is equal for rules that differ only in notation: in whitespace and parentheses,
// in the order of the operands of &&, ||, == and !=, in the direction of < and >, in negations that can be
// moved inwards, in the names of variables, and in size(x) for x.size(). A rule that does not parse is
// returned without surrounding whitespace.
func Normal(rule string) string {
	parsed, err := Parse(rule)
	if err != nil {
		return strings.TrimSpace(rule)
	}
	return normal(parsed.root).key
}

// normal returns the normal form of a term that is used as a condition. It has the same outcome as the term:
// true, false or failure.
func normal(t *term) *term {
	return normalizer{}.truth(t, false)
}

// normalizer contains the depth of nested macros.
type normalizer struct{ depth int }

// infix contains the operators that are written between their operands.
var infix = map[string]string{
	operators.LogicalAnd: "&&", operators.LogicalOr: "||", operators.Equals: "==", operators.NotEquals: "!=",
	operators.Less: "<", operators.LessEquals: "<=", operators.In: "in", operators.Add: "+", operators.Subtract: "-",
	operators.Multiply: "*", operators.Divide: "/", operators.Modulo: "%",
}

// truth returns the normal form of a condition, or of its negation.
func (n normalizer) truth(t *term, negated bool) *term {
	if t.isQuantifier() {
		name := t.name
		if negated {
			name = pick(name == "all", "exists", "all")
		}
		return n.macro(t, name, negated)
	}
	if t.kind == literalKind && t.lit.sort == boolSort {
		yes := (t.lit.number == 1) != negated
		return seal(&term{kind: literalKind, lit: literal{sort: boolSort, number: pick(yes, 1.0, 0.0), text: strconv.FormatBool(yes)}})
	}
	if t.kind == callKind {
		switch t.name {
		case operators.LogicalNot:
			return n.truth(t.args[0], !negated)
		case operators.LogicalAnd, operators.LogicalOr:
			name := t.name
			if negated {
				name = pick(name == operators.LogicalAnd, operators.LogicalOr, operators.LogicalAnd)
			}
			return n.junction(name, t.args, negated)
		case operators.Conditional:
			return n.choice(t, n.truth(t.args[1], negated), n.truth(t.args[2], negated))
		case operators.Equals, operators.NotEquals:
			name := pick((t.name == operators.Equals) != negated, operators.Equals, operators.NotEquals)
			return n.equality(name, t.args)
		case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
			return n.comparison(t, negated)
		}
	}
	plain := n.value(t)
	if negated {
		return seal(call(operators.LogicalNot, plain))
	}
	return plain
}

// value returns the normal form of a term whose value may be of any type.
func (n normalizer) value(t *term) *term {
	switch {
	case t.isQuantifier(), t.is(operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater,
		operators.GreaterEquals):
		return n.truth(t, false)
	case t.is(operators.LogicalNot, operators.LogicalAnd, operators.LogicalOr):
		// The operator fails for operands that are not bools, so it must be kept even if it has no other effect.
		args := make([]*term, len(t.args))
		for at, arg := range t.args {
			args[at] = n.truth(arg, false)
		}
		if !t.is(operators.LogicalNot) {
			slices.SortStableFunc(args, byKey)
		}
		return seal(call(t.name, args...))
	case t.is(operators.Conditional):
		return n.choice(t, n.value(t.args[1]), n.value(t.args[2]))
	case t.kind == macroKind:
		return n.macro(t, t.name, false)
	}
	args := make([]*term, len(t.args))
	for at, arg := range t.args {
		args[at] = n.value(arg)
	}
	if t.is(operators.In) {
		if _, constant := args[1].constants(); constant {
			elements := slices.Clone(args[1].args)
			slices.SortStableFunc(elements, byKey)
			elements = slices.CompactFunc(elements, func(a, b *term) bool { return a.key == b.key })
			args[1] = seal(args[1].with(elements))
		}
	}
	return seal(t.with(args))
}

func byKey(a, b *term) int { return strings.Compare(a.key, b.key) }

// choice swaps the branches of a conditional expression with a negated condition.
func (n normalizer) choice(t, then, otherwise *term) *term {
	condition := n.truth(t.args[0], false)
	if condition.is(operators.LogicalNot) {
		condition, then, otherwise = condition.args[0], otherwise, then
	}
	return seal(call(t.name, condition, then, otherwise))
}

// junction flattens, sorts and compacts the operands of && or ||.
func (n normalizer) junction(name string, operands []*term, negated bool) *term {
	var args []*term
	for _, operand := range operands {
		arg := n.truth(operand, negated)
		if arg.is(name) {
			args = append(args, arg.args...)
		} else {
			args = append(args, arg)
		}
	}
	slices.SortStableFunc(args, byKey)
	args = slices.CompactFunc(args, func(a, b *term) bool { return a.key == b.key })
	if len(args) == 1 {
		return args[0]
	}
	return seal(call(name, args...))
}

// equality puts a constant last, and sorts the sides otherwise.
func (n normalizer) equality(name string, sides []*term) *term {
	left, right := n.value(sides[0]), n.value(sides[1])
	_, leftConstant := left.constant()
	_, rightConstant := right.constant()
	if leftConstant && !rightConstant || leftConstant == rightConstant && right.key < left.key {
		left, right = right, left
	}
	return seal(call(name, left, right))
}

// comparison rewrites > and >= as < and <=, and reverses a negated comparison if no operand can be NaN.
func (n normalizer) comparison(t *term, negated bool) *term {
	left, right := n.value(t.args[0]), n.value(t.args[1])
	strict := t.is(operators.Less, operators.Greater)
	if t.is(operators.Greater, operators.GreaterEquals) {
		left, right = right, left
	}
	turned := negated && left.plain() && right.plain()
	if turned {
		left, right, strict = right, left, !strict
	}
	compared := seal(call(pick(strict, operators.Less, operators.LessEquals), left, right))
	if negated && !turned {
		return seal(call(operators.LogicalNot, compared))
	}
	return compared
}

// macro renames the variables by their depth.
func (n normalizer) macro(t *term, name string, negated bool) *term {
	source := n.value(t.args[0])
	prefix := pick(source.plain(), plainVariable, otherVariable)
	names := map[string]string{}
	vars := make([]string, len(t.vars))
	for at, v := range t.vars {
		vars[at] = prefix + strconv.Itoa(n.depth+at)
		names[v] = vars[at]
	}
	inner := normalizer{depth: n.depth + len(vars)}
	args := []*term{source}
	for at, body := range t.args[1:] {
		body = body.substitute(names)
		if condition := t.isQuantifier() || name == "filter" || name == "exists_one" || at == 0 && len(t.args) == 3; condition {
			args = append(args, inner.truth(body, negated))
		} else {
			args = append(args, inner.value(body))
		}
	}
	return seal(&term{kind: macroKind, name: name, vars: vars, args: args})
}

// seal sets the key of a term whose operands have keys. The term must be new and not shared.
func seal(t *term) *term {
	keys := make([]string, len(t.args))
	for at, arg := range t.args {
		keys[at] = arg.key
	}
	list := strings.Join(keys, ", ")
	switch t.kind {
	case literalKind:
		t.key = t.lit.String()
	case identKind:
		t.key = t.name
	case selectKind:
		t.key = keys[0] + "." + t.name
	case optSelectKind:
		t.key = keys[0] + ".?" + t.name
	case hasKind:
		t.key = "has(" + keys[0] + "." + t.name + ")"
	case listKind:
		t.key = "[" + list + "]"
	case mapKind:
		t.key = "{" + list + "}"
	case structKind:
		t.key = t.name + "(" + list + ")"
	case entryKind:
		t.key = "?" + keys[0]
	case macroKind:
		t.key = keys[0] + "." + t.name + "(" + strings.Join(append(slices.Clone(t.vars), keys[1:]...), ", ") + ")"
	case callKind:
		t.key = callKey(t, keys, list)
	}
	return t
}

func callKey(t *term, keys []string, list string) string {
	operator, isInfix := infix[t.name]
	switch {
	case isInfix && len(keys) > 1:
		return "(" + strings.Join(keys, " "+operator+" ") + ")"
	case t.is(operators.Index):
		return keys[0] + "[" + keys[1] + "]"
	case t.is(operators.OptIndex):
		return keys[0] + "[?" + keys[1] + "]"
	case t.is(operators.Conditional):
		return "(" + keys[0] + " ? " + keys[1] + " : " + keys[2] + ")"
	case t.is(operators.LogicalNot):
		if strings.HasPrefix(keys[0], "!") { // the parser reads !!x as x, even if x is not a bool
			return "!(" + keys[0] + ")"
		}
		return "!" + keys[0]
	case t.is(operators.Negate):
		return "-" + keys[0]
	case strings.HasPrefix(t.name, ".") && len(keys) > 0:
		return keys[0] + t.name + "(" + strings.Join(keys[1:], ", ") + ")"
	default:
		return t.name + "(" + list + ")"
	}
}
