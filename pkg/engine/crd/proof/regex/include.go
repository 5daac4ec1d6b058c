// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp"
	"slices"
)

// Answer is the result for an inclusion. At most one of Proved and Refuted is true. If neither is, a pattern
// does not compile or a limit was reached, and nothing is known.
type Answer struct {
	// Proved is set if every string that the narrower patterns match is matched by the wider ones.
	Proved bool
	// Refuted is set if Witness is a string that the narrower patterns match and the wider ones do not.
	Refuted bool
	// Witness is a shortest such string, of printable characters if there is one. It may be the empty
	// string.
	Witness string
}

// Includes reports whether every string that narrower matches is matched by wider.
func Includes(wider, narrower string) Answer {
	return IncludesAll([]string{wider}, []string{narrower})
}

// IncludesAll reports whether every string that matches all narrower patterns matches all wider ones. An empty
// list of narrower patterns stands for every string. To limit the length of the strings, add OfLength to the
// narrower patterns.
func IncludesAll(wider, narrower []string) Answer {
	answer := Answer{Proved: true}
	for _, one := range wider {
		switch single := includesOne(one, narrower); {
		case single.Refuted:
			return single
		case !single.Proved:
			answer.Proved = false
		}
	}
	return answer
}

func includesOne(wider string, narrower []string) Answer {
	programs, ok := compileAll(append([]string{wider}, narrower...))
	if !ok {
		return Answer{}
	}
	if slices.Contains(narrower, wider) {
		return Answer{Proved: true}
	}
	letters, ok := alphabetOf(programs)
	if !ok {
		return Answer{}
	}
	budget := &budget{steps: maxSteps}
	automata := make([]*automaton, 0, len(programs))
	for at, program := range programs {
		automata = append(automata, newAutomaton(program, letters, letters.takes[at], budget))
	}
	// The first traversal uses only printable letters, to find a readable witness. It proves nothing.
	for _, walked := range [][]int{letters.printable(), letters.all()} {
		witness, found, complete := difference(automata[1:], automata[0], letters, walked, budget)
		switch {
		case found && verified(witness, wider, narrower):
			return Answer{Refuted: true, Witness: witness}
		case found, !complete:
			return Answer{}
		}
	}
	return Answer{Proved: true}
}

// verified checks a witness with Go's regexp package.
func verified(witness, wider string, narrower []string) bool {
	matches := func(pattern string) bool {
		expression, err := regexp.Compile(pattern)
		return err == nil && expression.MatchString(witness)
	}
	for _, pattern := range narrower {
		if !matches(pattern) {
			return false
		}
	}
	return !matches(wider)
}
