// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"slices"

	"github.com/google/cel-go/common/operators"
)

// Reads tells what a rule reads. A path stands for the value there and all below it; what lies between it and the root is
// read only as the way to it. All paths are sorted and each is there once.
type Reads struct {
	// Self and OldSelf are the paths that are read, tests by has() among them. An empty path is the whole value.
	Self, OldSelf []Path
	// Guarded are those of Self that are tested by has() or read as an optional, as in self.?a.
	Guarded []Path
	// Transition: the rule compares with oldSelf, so that it is asked at updates only, unless oldSelf is optional.
	Transition bool
	// Whole: the rule reads all of self.
	Whole bool
}

// ReadsOf tells what a rule reads. It gives an error for what Parse refuses.
func ReadsOf(rule string) (Reads, error) {
	parsed, err := Parse(rule)
	if err != nil {
		return Reads{}, err
	}
	return parsed.Reads(), nil
}

// Reads tells what the rule reads.
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

// alias tells which places of the object a value may be. What is not read of it yet is not counted as read.
type alias struct {
	refs []place
	// items are the places that the items of a list may be, which a rule has made.
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

// consume counts a value as read, and all below it.
func (c *reader) consume(a alias) {
	for _, r := range slices.Concat(a.refs, a.items) {
		if r.old {
			c.reads.OldSelf = append(c.reads.OldSelf, r.path)
		} else {
			c.reads.Self = append(c.reads.Self, r.path)
		}
	}
}

// guard counts a value as one whose presence is tested.
func (c *reader) guard(a alias) {
	for _, r := range a.refs {
		if !r.old {
			c.reads.Guarded = append(c.reads.Guarded, r.path)
		}
	}
}

// read goes through a term. It gives the places that its value may be.
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

// listOf gives a list that a rule makes. Of lists in lists it is not followed what becomes of them.
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

// macro goes through a macro. The variable that stands for an item, or for a key of a map, is the last one.
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
		c.consume(source) // only how many items there are
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
