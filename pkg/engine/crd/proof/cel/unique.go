// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"maps"
	"slices"
)

// exactly proves exists_one() by another one of the same list that holds: if what is asked is false of each item of which
// it was false, and is true of some item. So this is the item of which it was true, and the only one: nothing failed
// before, as exists_one() absorbs no error, and nothing fails now.
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

// anyItem proves that what exists_one() asks is true of one item at least, of which it is known that it is in the list.
// What is asked already does not fail for any item.
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

// ofItem gives what is known if a name stands for an item of a list.
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
