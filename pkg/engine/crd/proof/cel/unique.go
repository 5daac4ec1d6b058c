// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"
)

// exactly proves exists_one() from another exists_one() of the same list that holds: the goal must be false
// for each item for which the old condition was false, and true for some item. This item is then the only one
// for which the old condition was true. No item failed before, because exists_one() does not absorb errors, and
// none fails now.
func (k *known) exactly(goal *term) bool {
	if !goal.isUnique() || len(goal.vars) != 1 {
		return false
	}
	for _, f := range k.order {
		if f.holds && f.atom.isUnique() && len(f.atom.vars) == 1 && f.atom.args[0].key == goal.args[0].key {
			if k.narrows(f.atom, goal) {
				return true
			}
		}
	}
	return false
}

func (k *known) narrows(old, goal *term) bool {
	item := k.freshNames(goal)
	was, is := instance(old, item), instance(goal, item)
	base := k.ofItem(goal.args[0], item[0])
	where, elsewhere := base.given(was, true), base.given(was, false)
	if !elsewhere.proves(elsewhere.statement(conditioned(is, false))) {
		return false
	}
	return where.proves(where.statement(is)) || k.anyItem(old, goal)
}

// anyItem proves that the condition of exists_one() is true for at least one item that is known to be in the
// list. The old condition does not fail for any item.
func (k *known) anyItem(old, goal *term) bool {
	for _, name := range slices.Sorted(maps.Keys(k.items)) {
		if k.items[name] != goal.args[0].key {
			continue
		}
		with := k.clone()
		with.learn(with.outcomeOf(instance(old, []string{name})))
		if with.proves(with.statement(instance(goal, []string{name}))) {
			return true
		}
	}
	return false
}

// ofItem returns the known facts extended by what is known about an item of a list.
func (k *known) ofItem(list *term, name string) *known {
	with := k.clone()
	with.items[name] = list.key
	for _, f := range k.order {
		if f.holds && f.atom.isQuantifier() && f.atom.name == "all" && len(f.atom.vars) == 1 && f.atom.args[0].key == list.key {
			with.learn(with.statement(instance(f.atom, []string{name})))
		}
	}
	return with
}
