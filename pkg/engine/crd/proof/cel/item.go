// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/operators"
)

// visit learns the statements of all() for each item that a term reads by a constant index, if the list is
// known to be long enough. That the operand is a list follows from the index, because the rule compiles.
func (k *known) visit(t *term) {
	if !k.spend(1) || t.kind == macroKind {
		return
	}
	for _, arg := range t.args {
		k.visit(arg)
	}
	if !t.is(operators.Index) || k.visited[t.key] || !t.args[0].plain() || !k.reaches(t.args[0], t.args[1]) {
		return
	}
	k.visited[t.key] = true
	for _, f := range k.order {
		if f.holds && f.atom.isQuantifier() && f.atom.name == "all" && len(f.atom.vars) == 1 && f.atom.args[0].key == t.args[0].key {
			k.learn(k.statement(normal(substituteTerm(f.atom.args[1], f.atom.vars[0], t))))
		}
	}
	k.resolve()
}

// reaches reports whether a list is long enough for an index.
func (k *known) reaches(list, index *term) bool {
	at, ok := index.constant()
	if !ok || !index.whole() || at.number < 0 {
		return false
	}
	size, ok := k.interval(normalizer{}.value(call("size", list)))
	return ok && size.low > at.number
}
