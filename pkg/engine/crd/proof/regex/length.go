// SPDX-License-Identifier: Apache-2.0

package regex

import "fmt"

// maxRepeat is the maximum count of a repetition in Go's regexp package.
const maxRepeat = 1000

// OfLength returns a pattern that matches exactly the strings of minimum to maximum runes, for use in addition
// to other patterns. A negative maximum means no maximum. It reports whether such a pattern exists: counts
// above 1000 are not supported.
func OfLength(minimum, maximum int) (pattern string, ok bool) {
	minimum = max(minimum, 0)
	switch {
	case minimum > maxRepeat || maximum > maxRepeat || maximum >= 0 && maximum < minimum:
		return "", false
	case maximum < 0:
		return fmt.Sprintf(`\A(?s:.{%d,})\z`, minimum), true
	default:
		return fmt.Sprintf(`\A(?s:.{%d,%d})\z`, minimum, maximum), true
	}
}

// Length returns the number of runes of the strings that a pattern matches: at least shortest, and at most
// longest if bounded is true. A pattern is bounded only if it is anchored at both sides. Length returns 0, 0
// and false if the pattern does not compile or a limit is reached, and 0, 0 and true for a pattern that matches
// nothing.
func Length(pattern string) (shortest, longest int, bounded bool) {
	programs, ok := compileAll([]string{pattern})
	if !ok {
		return 0, 0, false
	}
	letters, ok := alphabetOf(programs)
	if !ok {
		return 0, 0, false
	}
	b := &budget{steps: maxSteps}
	only := newAutomaton(programs[0], letters, letters.takes[0], b)
	w := &walk{automata: []*automaton{only}, seen: map[string]int{}, budget: b}
	w.hopeless = w.anyDead
	w.begin()
	var edges [][]int
	for at := 0; at < len(w.nodes); at++ {
		edges = append(edges, w.successors(at, letters.all()))
		if !w.within() {
			return 0, 0, false
		}
	}
	return measure(edges, func(at int) bool { return only.accepting(w.nodes[at].states[0]) })
}

// successors returns the nodes that follow a node, each once.
func (w *walk) successors(at int, walked []int) []int {
	var next []int
	seen := map[int]bool{}
	for _, letter := range walked {
		if to := w.follow(at, letter); to >= 0 && !seen[to] {
			seen[to] = true
			next = append(next, to)
		}
	}
	return next
}

// measure returns the lengths of the shortest and the longest path from node 0 to an accepting node.
func measure(edges [][]int, accepting func(int) bool) (shortest, longest int, bounded bool) {
	useful := leadingTo(edges, accepting)
	if len(edges) == 0 || !useful[0] {
		return 0, 0, true
	}
	shortest = firstAccepting(edges, accepting)
	waits := make([]int, len(edges)) // edges into a node that were not traversed yet
	nodes := 0
	for from, next := range edges {
		if !useful[from] {
			continue
		}
		nodes++
		for _, to := range next {
			waits[to]++
		}
	}
	if waits[0] > 0 {
		return shortest, 0, false
	}
	depth := make([]int, len(edges))
	for ready := []int{0}; len(ready) > 0; ready = ready[1:] {
		from := ready[0]
		nodes--
		if accepting(from) {
			longest = max(longest, depth[from])
		}
		for _, to := range edges[from] {
			depth[to] = max(depth[to], depth[from]+1)
			if waits[to]--; waits[to] == 0 && useful[to] {
				ready = append(ready, to)
			}
		}
	}
	if nodes > 0 { // the remaining nodes are behind a cycle
		return shortest, 0, false
	}
	return shortest, longest, true
}

// leadingTo reports for each node whether a path leads from it to an accepting node.
func leadingTo(edges [][]int, accepting func(int) bool) []bool {
	back := make([][]int, len(edges))
	useful := make([]bool, len(edges))
	var ready []int
	for from, next := range edges {
		for _, to := range next {
			back[to] = append(back[to], from)
		}
		if accepting(from) {
			useful[from] = true
			ready = append(ready, from)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		for _, from := range back[ready[0]] {
			if !useful[from] {
				useful[from] = true
				ready = append(ready, from)
			}
		}
	}
	return useful
}

// firstAccepting returns the length of the shortest path from node 0 to an accepting node, which must exist.
func firstAccepting(edges [][]int, accepting func(int) bool) int {
	depth := map[int]int{0: 0}
	for ready := []int{0}; len(ready) > 0; ready = ready[1:] {
		from := ready[0]
		if accepting(from) {
			return depth[from]
		}
		for _, to := range edges[from] {
			if _, known := depth[to]; !known {
				depth[to] = depth[from] + 1
				ready = append(ready, to)
			}
		}
	}
	return 0
}
