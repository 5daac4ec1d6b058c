// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"regexp"

	"github.com/google/cel-go/common/operators"
)

// function evaluates a function whose operands do not certainly fail. Unknown functions may have any outcome.
func (e *evaluator) function(t *term, args []outcome) outcome {
	failing := e.strict(args)
	if result, ok := folded(t, args); ok {
		return outcome{can: result | failing}
	}
	if result, ok := e.ofOptional(t, args); ok {
		return result
	}
	switch {
	case t.is(operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
		operators.In, ".startsWith", ".endsWith", ".contains"):
		return outcome{can: yes | no | failing}
	case t.is(".matches", "matches") && len(t.args) == 2:
		if l, ok := t.args[1].constant(); ok && l.sort == stringSort {
			if _, err := regexp.Compile(l.text); err == nil {
				return outcome{can: yes | no | failing}
			}
		}
		return outcome{can: any4}
	case t.is("size") && len(args) == 1:
		if args[0].isList {
			return number(len(args[0].list))
		}
		if args[0].lit != nil {
			if size, ok := args[0].lit.size(); ok {
				return constantOutcome(size)
			}
		}
		return outcome{can: other | failing}
	case t.is(operators.Index):
		result := outcome{can: any4}
		if args[0].at != nil {
			l, constant := t.args[1].constant()
			result.at = args[0].at.to(Each, "["+l.String()+"]")
			result.at.vague = result.at.vague || !constant
		}
		return result
	default:
		return outcome{can: any4}
	}
}

// folded evaluates constant operands.
func folded(t *term, args []outcome) (can, bool) {
	if len(args) != 2 || args[0].lit == nil {
		return 0, false
	}
	left := *args[0].lit
	if args[1].isList && t.is(operators.In) {
		all := constraint{kind: among, holds: true}
		for _, item := range args[1].list {
			if item.lit == nil {
				return 0, false
			}
			all.among = append(all.among, *item.lit)
		}
		return decided(all.allows(left))
	}
	if args[1].lit == nil {
		return 0, false
	}
	right := *args[1].lit
	bound := constraint{holds: true, bound: right, among: []literal{right}}
	switch {
	case t.is(operators.Equals), t.is(operators.NotEquals):
		bound.kind, bound.holds = among, t.is(operators.Equals)
	case t.is(operators.Less):
		bound.kind = below
	case t.is(operators.LessEquals):
		bound.kind = atMost
	case t.is(operators.Greater):
		bound.kind = above
	case t.is(operators.GreaterEquals):
		bound.kind = atLeast
	default:
		c, ok := constraintOf(fact{call(t.name, t.args[0], &term{kind: literalKind, lit: right}), true})
		if !ok || c.kind != matching {
			return 0, false
		}
		return decided(c.allows(left))
	}
	return decided(bound.allows(left))
}

func decided(is, known bool) (can, bool) {
	return pick(is, yes, no), known
}

// ofOptional evaluates the functions of optionals.
func (e *evaluator) ofOptional(t *term, args []outcome) (outcome, bool) {
	if t.is(".none", ".of") && t.args[0].kind == identKind && t.args[0].name == "optional" {
		if t.is(".none") {
			return outcome{can: other, opt: empty}, true
		}
		return outcome{can: other | args[1].can&fail, opt: filled}, true
	}
	if len(args) == 0 || args[0].opt == notOptional {
		return outcome{}, false
	}
	target, failing := args[0], args[0].can&fail
	switch {
	case t.is(".hasValue"):
		truth := map[optional]can{empty: no, filled: yes, maybeFilled: yes | no}[target.opt]
		return outcome{can: truth | failing}, true
	case t.is(".value"):
		switch target.opt {
		case empty:
			return outcome{can: fail}, true
		case filled:
			return outcome{can: value | failing, at: target.at}, true
		}
		return outcome{can: any4}, true
	case t.is(".orValue", ".or") && len(args) == 2:
		switch target.opt {
		case empty:
			result := args[1]
			result.can |= failing
			return result, true
		case filled:
			return outcome{can: value | failing, at: target.at, opt: pick(t.is(".or"), filled, notOptional)}, true
		}
		return outcome{can: value | failing | args[1].can&fail, opt: pick(t.is(".or"), maybeFilled, notOptional)}, true
	case t.is(operators.OptIndex):
		return outcome{can: other | e.strict(args), opt: pick(target.opt == empty, empty, maybeFilled)}, true
	case t.is(operators.Equals, operators.NotEquals) && (target.opt == empty) && args[1].opt == empty:
		return outcome{can: pick(t.is(operators.Equals), yes, no) | failing}, true
	default:
		return outcome{}, false
	}
}
