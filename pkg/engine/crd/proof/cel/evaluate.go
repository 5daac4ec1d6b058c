// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/operators"
)

// maxCases limits the fields whose presence is distinguished by cases, in the rule or in the body of one macro.
const maxCases = 6

// inAllCases evaluates a term once for each combination of presence of the fields that it tests. Only
// fields below scope, the ID of a variable, are distinguished; the empty scope stands for all fields.
func (e *evaluator) inAllCases(t *term, vars map[string]outcome, scope string) outcome {
	return e.cases(t, vars, scope, maxCases)
}

func (e *evaluator) cases(t *term, vars map[string]outcome, scope string, left int) outcome {
	before := e.needed
	e.needed = nil
	result := e.eval(t, vars)
	at := slices.IndexFunc(e.needed, func(id string) bool { return strings.HasPrefix(id, scope) })
	if at >= 0 && left > 0 && result.can != yes {
		id := e.needed[at]
		e.assumed[id] = true
		result = e.cases(t, vars, scope, left-1)
		e.assumed[id] = false
		result = result.or(e.cases(t, vars, scope, left-1))
		delete(e.assumed, id)
	}
	// Fields below a variable must not be distinguished outside of its macro, where the variable stands for many values.
	inside := func(id string) bool { return scope != "" && strings.HasPrefix(id, scope) }
	e.needed = append(before, slices.DeleteFunc(e.needed, inside)...)
	return result
}

func (e *evaluator) eval(t *term, vars map[string]outcome) outcome {
	if e.left--; e.left < 0 {
		return outcome{can: any4}
	}
	if l, ok := t.constant(); ok {
		return constantOutcome(l)
	}
	switch t.kind {
	case identKind:
		if known, ok := vars[t.name]; ok {
			return known
		}
		return outcome{can: other} // the name of a library, as in optional.of
	case selectKind:
		return e.field(e.eval(t.args[0], vars), property(t.name))
	case optSelectKind:
		return e.optionalField(e.eval(t.args[0], vars), property(t.name))
	case hasKind:
		return e.has(e.eval(t.args[0], vars), property(t.name))
	case listKind:
		return e.list(t, vars)
	case macroKind:
		return e.macro(t, vars)
	case callKind:
		return e.call(t, vars)
	default:
		return outcome{can: e.strict(e.evalAll(t.args, vars)) | other}
	}
}

func constantOutcome(l literal) outcome {
	if l.sort == boolSort {
		return outcome{can: pick(l.number == 1, yes, no)}
	}
	return outcome{can: other, lit: &l}
}

func number(n int) outcome { return constantOutcome(whole(n)) }

func (e *evaluator) evalAll(terms []*term, vars map[string]outcome) []outcome {
	all := make([]outcome, 0, len(terms))
	for _, t := range terms {
		all = append(all, e.eval(t, vars))
	}
	return all
}

// strict returns fail if one of the operands may fail.
func (e *evaluator) strict(operands []outcome) can {
	var c can
	for _, o := range operands {
		c |= o.can & fail
	}
	return c
}

// fails reports whether one of the operands certainly fails.
func fails(operands ...outcome) bool {
	return slices.ContainsFunc(operands, func(o outcome) bool { return o.can == fail })
}

// field evaluates the selection of a field.
func (e *evaluator) field(of outcome, name string) outcome {
	switch {
	case of.can == fail:
		return of
	case of.opt != notOptional:
		return e.optionalField(of, name)
	case of.at == nil:
		return outcome{can: any4}
	}
	at := of.at.to(name, "."+name)
	switch e.presenceOf(at) {
	case Absent:
		return outcome{can: fail}
	case Present:
		return outcome{can: value | of.can&fail, at: at}
	default:
		return outcome{can: any4, at: at}
	}
}

// optionalField evaluates the optional selection of a field; a missing field results in the empty optional.
func (e *evaluator) optionalField(of outcome, name string) outcome {
	switch {
	case of.can == fail || of.opt == empty:
		return of
	case of.at == nil || of.opt == maybeFilled:
		return outcome{can: other | of.can&fail, opt: maybeFilled}
	}
	at := of.at.to(name, "."+name)
	known := e.presenceOf(at)
	if known == Unknown {
		e.need(at)
	}
	opt := map[Presence]optional{Absent: empty, Present: filled, Unknown: maybeFilled}[known]
	return outcome{can: other | of.can&fail, opt: opt, at: at}
}

func (e *evaluator) has(of outcome, name string) outcome {
	found := e.optionalField(of, name)
	switch {
	case of.can == fail:
		return of
	case found.opt == empty:
		return outcome{can: no | of.can&fail}
	case found.opt == filled:
		return outcome{can: yes | of.can&fail}
	default:
		return outcome{can: yes | no | of.can&fail}
	}
}

func (e *evaluator) list(t *term, vars map[string]outcome) outcome {
	items := e.evalAll(t.args, vars)
	failing := e.strict(items)
	known := failing == 0 && !slices.ContainsFunc(t.args, func(arg *term) bool { return arg.kind == entryKind })
	return outcome{can: other | failing, list: items, isList: known}
}

// macro evaluates a macro. If the items of a list are not known, a single item represents all of them.
func (e *evaluator) macro(t *term, vars map[string]outcome) outcome {
	source := e.eval(t.args[0], vars)
	switch {
	case source.can == fail:
		return source
	case t.name == "optMap" || t.name == "optFlatMap":
		return e.optMap(t, source, vars)
	case source.isList && t.isQuantifier():
		result := pick(t.name == "all", yes, no)
		for at, item := range source.list {
			body := e.body(t, []outcome{number(at), item}, vars, "").condition()
			result = pick(t.name == "all", and(result, body), not(and(not(result), not(body))))
		}
		return outcome{can: result}
	case source.isList && t.name == "filter":
		if kept, ok := e.kept(t, source.list, vars); ok {
			return outcome{can: other, list: kept, isList: true}
		}
	}
	item := outcome{can: value}
	scope := "#"
	if source.at != nil {
		item.at = source.at.to(Each, "#"+t.id()+";")
		item.at.vague = false // within the body it is a single item
		scope = item.at.id
	}
	body := e.body(t, []outcome{{can: other}, item}, vars, scope)
	failing := source.can & fail
	switch t.name {
	case "all":
		return outcome{can: yes | body.condition() | failing}
	case "exists":
		return outcome{can: no | body.condition() | failing}
	case "exists_one":
		return outcome{can: yes | no | body.condition()&fail | failing}
	case "filter":
		result := outcome{can: other | body.condition()&fail | failing}
		if source.at != nil {
			result.at = &spot{id: source.at.id + "|" + t.id(), path: source.at.path, old: source.at.old, vague: true}
		}
		return result
	case "map", "sortBy":
		return outcome{can: other | body.can&fail | failing | pick(len(t.args) > 2, fail, 0)}
	default:
		return outcome{can: any4}
	}
}

// kept returns the items of a list that a filter keeps, if that is known for each item.
func (e *evaluator) kept(t *term, items []outcome, vars map[string]outcome) (kept []outcome, ok bool) {
	for at, item := range items {
		switch e.body(t, []outcome{number(at), item}, vars, "").condition() {
		case yes:
			kept = append(kept, item)
		case no:
		default:
			return nil, false
		}
	}
	return kept, true
}

// id returns an ID that is unique among the terms of the rule.
func (t *term) id() string {
	return strconv.Itoa(t.number)
}

// body evaluates the body of a macro for an item with its index or key.
func (e *evaluator) body(t *term, keyAndItem []outcome, vars map[string]outcome, scope string) outcome {
	inner := map[string]outcome{}
	for name, o := range vars {
		inner[name] = o
	}
	for at, v := range t.vars {
		inner[v] = keyAndItem[2-len(t.vars)+at]
	}
	if scope == "" {
		return e.eval(t.args[len(t.args)-1], inner)
	}
	return e.inAllCases(t.args[len(t.args)-1], inner, scope)
}

func (e *evaluator) optMap(t *term, source outcome, vars map[string]outcome) outcome {
	if source.opt == empty {
		return source
	}
	held := outcome{can: value, at: source.at}
	body := e.body(t, []outcome{{}, held}, vars, "")
	return outcome{can: other | (source.can|body.can)&fail, opt: pick(source.opt == filled && t.name == "optMap", filled, maybeFilled)}
}

// and combines two conditions like &&: false absorbs an error.
func and(a, b can) can {
	var c can
	if a&yes != 0 && b&yes != 0 {
		c |= yes
	}
	if (a|b)&no != 0 {
		c |= no
	}
	if a&fail != 0 && b&^no != 0 || b&fail != 0 && a&^no != 0 {
		c |= fail
	}
	return c
}

func not(a can) can {
	c := a & fail
	if a&yes != 0 {
		c |= no
	}
	if a&no != 0 {
		c |= yes
	}
	return c
}

// call evaluates operators and functions.
func (e *evaluator) call(t *term, vars map[string]outcome) outcome {
	args := e.evalAll(t.args, vars)
	switch {
	case t.is(operators.LogicalNot):
		return outcome{can: not(args[0].condition())}
	case t.is(operators.LogicalAnd):
		result := yes
		for _, arg := range args {
			result = and(result, arg.condition())
		}
		return outcome{can: result}
	case t.is(operators.LogicalOr):
		result := no
		for _, arg := range args {
			result = not(and(not(result), not(arg.condition())))
		}
		return outcome{can: result}
	case t.is(operators.Conditional):
		return choice(args)
	case fails(args...):
		return outcome{can: fail}
	default:
		return e.function(t, args)
	}
}

func choice(args []outcome) outcome {
	switch condition := args[0].condition(); condition {
	case yes:
		return args[1]
	case no:
		return args[2]
	case fail:
		return outcome{can: fail}
	default:
		result := args[1].or(args[2])
		result.can |= condition & fail
		if condition&yes == 0 {
			result = args[2]
			result.can |= fail
		} else if condition&no == 0 {
			result = args[1]
			result.can |= fail
		}
		return result
	}
}
