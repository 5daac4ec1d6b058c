// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/google/cel-go/common/operators"
)

// Reads contains the paths that a rule reads. A path stands for the value and everything below it; the values
// above it are not included. Paths are sorted and unique.
type Reads struct {
	// Self and OldSelf are the paths that are read, including tests with has(). An empty path is the entire value.
	Self, OldSelf []Path
	// Guarded are the paths in Self that are tested with has() or read as an optional, as in self.?a.
	Guarded []Path
	// Transition is set if the rule uses oldSelf, so that it is evaluated only at updates unless oldSelf is optional.
	Transition bool
	// Whole is set if the rule reads all of self.
	Whole bool
}

// ReadsOf returns the paths that a rule reads. It returns an error for rules that Parse rejects.
func ReadsOf(rule string) (Reads, error) {
	parsed, err := Parse(rule)
	if err != nil {
		return Reads{}, err
	}
	return parsed.Reads(), nil
}

// Reads returns the paths that the rule reads.
func (r *Rule) Reads() Reads {
	c := &reader{reads: Reads{Transition: r.root.uses(oldSelf)}}
	c.consume(c.read(r.root, map[string]alias{self: {refs: []place{{}}}, oldSelf: {refs: []place{{old: true}}}}))
	c.reads.Self, c.reads.OldSelf, c.reads.Guarded = sorted(c.reads.Self), sorted(c.reads.OldSelf), sorted(c.reads.Guarded)
	c.reads.Whole = slices.ContainsFunc(c.reads.Self, func(p Path) bool { return len(p) == 0 })
	return c.reads
}

// place is a place in the object or in its old state.
type place struct {
	old  bool
	path Path
}

// alias contains the places of the object that a value may have. They do not count as read yet.
type alias struct {
	refs []place
	// items are the possible places of the items of a list that the rule constructs.
	items []place
}

func (a alias) below(element string) alias {
	var all alias
	for _, r := range a.refs {
		all.refs = append(all.refs, place{r.old, r.path.to(element)})
	}
	if element == Each {
		all.refs = append(all.refs, a.items...)
	}
	return all
}

func together(a, b alias) alias {
	return alias{refs: slices.Concat(a.refs, b.refs), items: slices.Concat(a.items, b.items)}
}

type reader struct{ reads Reads }

// consume counts a value and everything below it as read.
func (c *reader) consume(a alias) {
	for _, r := range slices.Concat(a.refs, a.items) {
		if r.old {
			c.reads.OldSelf = append(c.reads.OldSelf, r.path)
		} else {
			c.reads.Self = append(c.reads.Self, r.path)
		}
	}
}

// guard records that the presence of a value is tested.
func (c *reader) guard(a alias) {
	for _, r := range a.refs {
		if !r.old {
			c.reads.Guarded = append(c.reads.Guarded, r.path)
		}
	}
}

// read traverses a term. It returns the possible places of its value.
func (c *reader) read(t *term, vars map[string]alias) alias {
	switch t.kind {
	case identKind:
		return vars[t.name]
	case selectKind:
		return c.read(t.args[0], vars).below(property(t.name))
	case optSelectKind:
		found := c.read(t.args[0], vars).below(property(t.name))
		c.guard(found)
		return found
	case hasKind:
		tested := c.read(t.args[0], vars).below(property(t.name))
		c.guard(tested)
		c.consume(tested)
		return alias{}
	case entryKind:
		return c.read(t.args[0], vars)
	case listKind:
		var items alias
		for _, arg := range t.args {
			items = together(items, c.read(arg, vars))
		}
		return c.listOf(items)
	case macroKind:
		return c.macro(t, vars)
	case callKind:
		return c.call(t, vars)
	default:
		c.consumeAll(t.args, vars)
		return alias{}
	}
}

// listOf returns a list that a rule constructs. The items of nested lists are not tracked.
func (c *reader) listOf(items alias) alias {
	c.consume(alias{refs: items.items})
	return alias{items: items.refs}
}

func (c *reader) consumeAll(terms []*term, vars map[string]alias) {
	for _, t := range terms {
		c.consume(c.read(t, vars))
	}
}

func (c *reader) call(t *term, vars map[string]alias) alias {
	switch {
	case t.is(operators.Conditional):
		c.consume(c.read(t.args[0], vars))
		return together(c.read(t.args[1], vars), c.read(t.args[2], vars))
	case t.is(operators.Index, operators.OptIndex):
		c.consume(c.read(t.args[1], vars))
		found := c.read(t.args[0], vars).below(Each)
		if t.is(operators.OptIndex) {
			c.guard(found)
		}
		return found
	case t.is(".orValue", ".or", ".value", ".of", "dyn"):
		var all alias
		for _, arg := range t.args {
			all = together(all, c.read(arg, vars))
		}
		return all
	default:
		c.consumeAll(t.args, vars)
		return alias{}
	}
}

// macro traverses a macro. The last variable stands for an item or for a key of a map.
func (c *reader) macro(t *term, vars map[string]alias) alias {
	source := c.read(t.args[0], vars)
	inner := map[string]alias{}
	for name, a := range vars {
		inner[name] = a
	}
	optional := t.name == "optMap" || t.name == "optFlatMap"
	item := source
	if !optional {
		item = source.below(Each)
	}
	for at, v := range t.vars {
		inner[v] = pick(at == len(t.vars)-1, item, alias{})
	}
	used := false
	var last alias
	for at, body := range t.args[1:] {
		used = used || body.uses(t.vars[len(t.vars)-1])
		last = c.read(body, inner)
		if at < len(t.args)-2 {
			c.consume(last)
		}
	}
	if !used {
		c.consume(source) // only the number of items matters
	}
	switch {
	case optional:
		return last
	case t.name == "map" || t.name == "transformList" || t.name == "transformMap":
		return c.listOf(last)
	case t.name == "filter" || t.name == "sortBy":
		c.consume(last)
		return source
	default:
		c.consume(last)
		return alias{}
	}
}
