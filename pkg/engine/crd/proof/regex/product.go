// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"encoding/binary"
	"slices"
)

// node is a node of the product: one state of each automaton, and how it was reached.
type node struct {
	states []int
	parent int
	letter int
}

// walk traverses several automata in parallel, the shortest strings first.
type walk struct {
	automata []*automaton
	// hopeless reports whether a node cannot lead to a result.
	hopeless func(states []int) bool
	nodes    []node
	seen     map[string]int
	budget   *budget
}

// difference searches for a shortest string of the given letters that all narrower automata accept and the
// wider one does not. If there is none, complete reports whether the search was complete.
func difference(narrower []*automaton, wider *automaton, letters *alphabet, walked []int,
	b *budget) (witness string, found, complete bool) {
	w := &walk{automata: append(slices.Clone(narrower), wider), seen: map[string]int{}, budget: b}
	last := len(narrower)
	w.hopeless = func(states []int) bool {
		return states[last] == matched || w.anyDead(states[:last])
	}
	goal := func(states []int) bool {
		for at, a := range narrower {
			if !a.accepting(states[at]) {
				return false
			}
		}
		return !wider.accepting(states[last])
	}
	w.begin()
	for at := 0; at < len(w.nodes); at++ {
		if goal(w.nodes[at].states) {
			return w.path(at, letters), true, true
		}
		for _, letter := range walked {
			w.follow(at, letter)
		}
		if !w.within() {
			return "", false, false
		}
	}
	return "", false, true
}

func (w *walk) anyDead(states []int) bool {
	for at, number := range states {
		if w.automata[at].states[number].dead {
			return true
		}
	}
	return false
}

// within reports whether the limits are kept.
func (w *walk) within() bool {
	return w.budget.spend(0) && len(w.nodes) <= maxProductStates
}

func (w *walk) begin() {
	states := make([]int, len(w.automata))
	for at, a := range w.automata {
		states[at] = a.start()
	}
	w.add(node{states: states, parent: -1})
}

// follow traverses one letter from a node. It returns the number of the next node, or -1 if that node is hopeless.
func (w *walk) follow(from, letter int) int {
	states := make([]int, len(w.automata))
	for at, a := range w.automata {
		states[at] = a.step(w.nodes[from].states[at], letter)
	}
	w.budget.spend(1)
	return w.add(node{states: states, parent: from, letter: letter})
}

func (w *walk) add(n node) int {
	if w.hopeless(n.states) {
		return -1
	}
	var key []byte
	for _, number := range n.states {
		key = binary.AppendUvarint(key, uint64(number))
	}
	number, known := w.seen[string(key)]
	if !known {
		number = len(w.nodes)
		w.seen[string(key)] = number
		w.nodes = append(w.nodes, n)
	}
	return number
}

// path returns the string that leads to a node.
func (w *walk) path(at int, letters *alphabet) string {
	var runes []rune
	for ; w.nodes[at].parent >= 0; at = w.nodes[at].parent {
		runes = append(runes, letters.letters[w.nodes[at].letter])
	}
	slices.Reverse(runes)
	return string(runes)
}
