// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"encoding/binary"
	"slices"
)

// node is a place of the walk: one state of each automaton, and how it was reached.
type node struct {
	states []int
	parent int
	letter int
}

// walk goes through several automata side by side, the shortest strings first.
type walk struct {
	automata []*automaton
	// hopeless tells of a place that nothing of interest can follow.
	hopeless func(states []int) bool
	nodes    []node
	seen     map[string]int
	budget   *budget
}

// difference looks for a shortest string of the letters walked that all narrower automata accept and the wider one does
// not. It tells whether the search was complete, if there is none.
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

// within tells whether the limits still hold.
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

// follow walks one letter from a node. It gives the number of the node it leads to, -1 for a hopeless one.
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

// path gives the string that led to a node.
func (w *walk) path(at int, letters *alphabet) string {
	var runes []rune
	for ; w.nodes[at].parent >= 0; at = w.nodes[at].parent {
		runes = append(runes, letters.letters[w.nodes[at].letter])
	}
	slices.Reverse(runes)
	return string(runes)
}
