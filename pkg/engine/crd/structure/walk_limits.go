// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// bound describes one of the limits of a node and the rules for its changes.
type bound struct {
	keyword string
	// of returns the limit.
	of func(*limits) *limit
	// lower is set for a lower bound.
	lower bool
	// types are the types that the limit applies to.
	types jsonTypes
	// The rules for a limit that is added, tightened, loosened and removed.
	added, tightened, loosened, gone string
	// hurt names the values that become invalid.
	hurt string
}

var bounds = []bound{
	{keyword: "minimum", of: func(l *limits) *limit { return &l.minimum }, lower: true, types: typeNumber, added: "407", tightened: "407",
		loosened: "410", gone: "419", hurt: "smaller numbers"},
	{keyword: "maximum", of: func(l *limits) *limit { return &l.maximum }, types: typeNumber, added: "408", tightened: "408", loosened: "420",
		gone: "420", hurt: "larger numbers"},
	{keyword: "minLength", of: func(l *limits) *limit { return &l.minLength }, lower: true, types: typeString, added: "405", tightened: "406",
		loosened: "425", gone: "425", hurt: "shorter strings"},
	{keyword: "maxLength", of: func(l *limits) *limit { return &l.maxLength }, types: typeString, added: "401", tightened: "402",
		loosened: "403", gone: "404", hurt: "longer strings"},
	{keyword: "minItems", of: func(l *limits) *limit { return &l.minItems }, lower: true, types: typeArray, added: "414", tightened: "414",
		loosened: "425", gone: "425", hurt: "shorter lists"},
	{keyword: "maxItems", of: func(l *limits) *limit { return &l.maxItems }, types: typeArray, added: "413", tightened: "415",
		loosened: "403", gone: "404", hurt: "longer lists"},
	{keyword: "minProperties", of: func(l *limits) *limit { return &l.minProperties }, lower: true, types: typeObject, added: "416",
		tightened: "416", loosened: "425", gone: "425", hurt: "objects with fewer keys"},
	{keyword: "maxProperties", of: func(l *limits) *limit { return &l.maxProperties }, types: typeObject, added: "R04", tightened: "R04",
		loosened: "403", gone: "404", hurt: "objects with more keys"},
}

// limits compares all bounds.
func (w *walk) limits(old, new *schema, at spot) {
	if old.limits == new.limits {
		return // a changed format has a finding of its own
	}
	was, is := old.effective(), new.effective()
	for _, bound := range bounds {
		if old.types&new.types&bound.types != 0 {
			w.bound(bound, old, new, *bound.of(&was), *bound.of(&is), at)
		}
	}
}

func (w *walk) bound(b bound, old, new *schema, was, is limit, at spot) {
	oldSaid, newSaid := *b.of(&old.limits), *b.of(&new.limits)
	if oldSaid == newSaid || !newSaid.is && !oldSaid.is {
		return
	}
	tighter := !was.within(newSaid, b.lower)
	if tighter && b.types == typeString {
		tighter = !w.c.patterns.fit(old, newSaid, b.lower)
	}
	tighter = tighter && !old.ensures(b.rule(old, newSaid))
	switch {
	case tighter:
		id := b.tightened
		switch {
		case !oldSaid.is:
			id = b.added
		case oldSaid.value == newSaid.value && newSaid.exclusive:
			id = "409"
		}
		finding := w.find(id, at, oldSaid.shown(), newSaid.shown(), "%s is now %s: %s are invalid", b.keyword, newSaid.text(), b.hurt)
		if new.bricks(at) {
			finding.Verdict = rules.Destructive
			finding.Message += "; stored objects that hold undeclared keys can no longer be updated at all, and even their " +
				"finalizers cannot be removed"
		}
	case is.within(was, b.lower) && was.within(is, b.lower):
		// The same bound, expressed by another keyword.
	case !newSaid.is:
		w.find(b.gone, at, oldSaid.shown(), nil, "%s was removed: more values are allowed, which become invalid after a rollback", b.keyword)
	case oldSaid.within(newSaid, b.lower):
		id := b.loosened
		if oldSaid.value == newSaid.value && !b.lower {
			id = "410"
		}
		w.find(id, at, oldSaid.shown(), newSaid.shown(), "%s is now %s: more values are allowed, which become invalid after a rollback",
			b.keyword, newSaid.text())
	}
}

// rule returns a bound as a CEL rule.
func (b bound) rule(s *schema, l limit) string {
	only := limits{}
	*b.of(&only) = l
	facts := (&schema{types: s.types & b.types, limits: only, undeclared: true}).boundFacts("self")
	if len(facts) == 0 {
		return "false"
	}
	return facts[0]
}

func (l limit) text() string { return rules.Shown(l.shown()) }
