// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

const (
	lineOps = syntax.EmptyBeginLine | syntax.EmptyEndLine
	wordOps = syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary
	// The values that assertions see before the first and after the last rune, and where the rune is not known yet.
	noRune      rune = -1
	unknownRune rune = -2
)

// matched is the state after a match: no further input can undo it.
const matched = 0

// automaton is the deterministic automaton of a program. It is built on demand.
//
// The program is started at every position, like an unanchored match. A state is the set of instructions at
// which the threads wait: for a rune, or for an assertion about the next rune, which is not known yet.
type automaton struct {
	*program
	takes   [][]bool // set → letter → whether the set contains it
	letters []rune
	budget  *budget
	states  []*state
	index   map[string]int
	// mark and round identify the instructions that expand visited in this round.
	mark  []int
	round int
	// restarts is set if a match can begin after the first rune.
	restarts bool
}

type state struct {
	waiting []uint32
	before  rune    // the preceding rune for assertions, represented by one rune of its class
	next    []int32 // by letter; -1 if not built yet
	dead    bool    // no match is possible any more
	accepts int8    // whether the string may end here: 0 unknown, 1 yes, -1 no
}

func newAutomaton(p *program, letters *alphabet, takes [][]bool, b *budget) *automaton {
	a := &automaton{program: p, takes: takes, letters: letters.letters, budget: b, index: map[string]int{}, mark: make([]int, len(p.Inst))}
	a.states = append(a.states, &state{accepts: 1})
	for _, before := range []rune{'\n', 'a', ' '} {
		waiting, match := a.expand([]uint32{uint32(p.Start)}, before, unknownRune)
		a.restarts = a.restarts || match || len(waiting) > 0
	}
	return a
}

// start returns the state before the first rune.
func (a *automaton) start() int {
	return a.enter(nil, noRune)
}

// enter returns the state of threads at the instructions, plus a new thread at the start of the program.
func (a *automaton) enter(threads []uint32, before rune) int {
	waiting, match := a.expand(append(threads, uint32(a.Start)), before, unknownRune)
	if match {
		return matched
	}
	before = a.relevant(waiting, before)
	key := binary.LittleEndian.AppendUint32(nil, uint32(before))
	for _, pc := range waiting {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	number, known := a.index[string(key)]
	if !known {
		number = len(a.states)
		a.index[string(key)] = number
		next := make([]int32, len(a.letters))
		for letter := range next {
			next[letter] = -1
		}
		a.states = append(a.states, &state{waiting: waiting, before: before, next: next, dead: len(waiting) == 0 && !a.restarts})
	}
	return number
}

// relevant reduces the preceding rune to what the waiting assertions can distinguish, so that equivalent states are equal.
func (a *automaton) relevant(waiting []uint32, before rune) rune {
	asks := slices.ContainsFunc(waiting, func(pc uint32) bool { return a.Inst[pc].Op == syntax.InstEmptyWidth })
	switch {
	case !asks:
		return ' '
	case before == noRune && a.ops&(syntax.EmptyBeginText|syntax.EmptyBeginLine) != 0:
		return noRune
	case before == '\n' && a.ops&syntax.EmptyBeginLine != 0:
		return '\n'
	case before >= 0 && syntax.IsWordChar(before) && a.ops&wordOps != 0:
		return 'a'
	default:
		return ' '
	}
}

// step returns the state after a letter.
func (a *automaton) step(from, letter int) int {
	s := a.states[from]
	if from == matched {
		return matched
	}
	if s.next[letter] >= 0 {
		return int(s.next[letter])
	}
	r := a.letters[letter]
	takers, match := a.expand(s.waiting, s.before, r)
	if match {
		s.next[letter] = matched
		return matched
	}
	var threads []uint32
	for _, pc := range takers {
		if a.takes[a.setOf[pc]][letter] {
			threads = append(threads, a.Inst[pc].Out)
		}
	}
	s.next[letter] = int32(a.enter(threads, r))
	return int(s.next[letter])
}

// accepting reports whether a string that ends in this state matches.
func (a *automaton) accepting(number int) bool {
	s := a.states[number]
	if s.accepts == 0 {
		s.accepts = -1
		if _, match := a.expand(s.waiting, s.before, noRune); match {
			s.accepts = 1
		}
	}
	return s.accepts == 1
}

// expand follows threads to the instructions at which they wait, sorted, and reports whether one of them
// matches. If the next rune is unknown, threads wait at assertions about it.
func (a *automaton) expand(threads []uint32, before, after rune) (waiting []uint32, match bool) {
	a.round++
	todo := slices.Clone(threads)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if a.mark[pc] == a.round {
			continue
		}
		a.mark[pc] = a.round
		a.budget.spend(1)
		inst := &a.Inst[pc]
		switch inst.Op {
		case syntax.InstMatch:
			return nil, true
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, inst.Out)
		case syntax.InstEmptyWidth:
			op := syntax.EmptyOp(inst.Arg)
			if after == unknownRune && op != syntax.EmptyBeginText && op != syntax.EmptyBeginLine {
				waiting = append(waiting, pc)
			} else if inst.MatchEmptyWidth(before, after) {
				todo = append(todo, inst.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			waiting = append(waiting, pc)
		}
	}
	slices.Sort(waiting)
	return waiting, false
}
