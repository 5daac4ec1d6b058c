// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp"
	"slices"
)

// Answer tells what is known of an inclusion. At most one of Proved and Refuted is true; if neither is, a pattern does
// not compile or the limits were reached, and nothing is known.
type Answer struct {
	// Proved: every string that the narrower patterns match is matched by the wider ones.
	Proved bool
	// Refuted: Witness is a string that the narrower patterns match and the wider ones do not.
	Refuted bool
	// Witness is a shortest such string, of printable characters if there is one. It may be empty: the empty string can
	// be a witness.
	Witness string
}

// Includes tells whether every string that narrower matches is matched by wider.
func Includes(wider, narrower string) Answer {
	return IncludesAll([]string{wider}, []string{narrower})
}

// IncludesAll tells whether every string that matches all narrower patterns matches all wider ones. No narrower pattern
// at all stands for every string. To bound the length of the strings too, add OfLength to the narrower patterns.
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
	// The first walk keeps to printable letters, for a witness that a person can read. It proves nothing.
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

// verified tries a witness on the real matcher.
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
