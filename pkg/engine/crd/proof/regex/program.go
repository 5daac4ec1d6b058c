// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp/syntax"
	"slices"
	"unicode"
)

// Limits for the work of one question. They keep the time for an answer below a fraction of a second.
const (
	maxPattern       = 16 << 10  // bytes of one pattern
	maxInstructions  = 20_000    // of one compiled pattern
	maxLetters       = 512       // classes of runes that the patterns distinguish
	maxClassWork     = 4_000_000 // sets of runes × ranges of runes
	maxProductStates = 20_000
	maxSteps         = 8_000_000 // instructions and transitions visited
)

// budget contains the remaining steps.
type budget struct{ steps int }

// spend consumes n steps. It reports whether the limit is kept.
func (b *budget) spend(n int) bool {
	b.steps -= n
	return b.steps >= 0
}

// program is a compiled pattern with the sets of runes of its instructions.
type program struct {
	*syntax.Prog
	sets  [][]rune       // pairs of first and last rune, sorted
	setOf map[uint32]int // instruction → index in sets
	ops   syntax.EmptyOp // the zero-width assertions in use
}

func compileAll(patterns []string) ([]*program, bool) {
	programs := make([]*program, 0, len(patterns))
	for _, pattern := range patterns {
		compiled, ok := compile(pattern)
		if !ok {
			return nil, false
		}
		programs = append(programs, compiled)
	}
	return programs, true
}

func compile(pattern string) (*program, bool) {
	if len(pattern) > maxPattern {
		return nil, false
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || sizeOf(parsed) > maxInstructions {
		return nil, false
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, false
	}
	p := &program{Prog: prog, setOf: map[uint32]int{}}
	known := map[string]int{}
	for pc := range prog.Inst {
		inst := &prog.Inst[pc]
		switch inst.Op {
		case syntax.InstEmptyWidth:
			p.ops |= syntax.EmptyOp(inst.Arg)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			runes := runesOf(inst)
			key := string(runes)
			if _, ok := known[key]; !ok {
				known[key] = len(p.sets)
				p.sets = append(p.sets, runes)
			}
			p.setOf[uint32(pc)] = known[key]
		}
	}
	return p, true
}

// sizeOf estimates the number of instructions of a parsed expression before its repetitions are expanded.
func sizeOf(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral {
		size += len(re.Rune)
	}
	if re.Op == syntax.OpCharClass {
		size += len(re.Rune) / 64
	}
	for _, sub := range re.Sub {
		size += sizeOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(1, re.Min, re.Max) + 1
	}
	return min(size, maxInstructions+1)
}

// runesOf returns the runes that an instruction accepts, as sorted pairs of first and last rune.
func runesOf(inst *syntax.Inst) []rune {
	switch {
	case inst.Op == syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case inst.Op == syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case len(inst.Rune) != 1:
		return inst.Rune
	}
	only := inst.Rune[0]
	folds := []rune{only}
	if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for r := unicode.SimpleFold(only); r != only; r = unicode.SimpleFold(r) {
			folds = append(folds, r)
		}
	}
	slices.Sort(folds)
	pairs := make([]rune, 0, 2*len(folds))
	for _, r := range folds {
		pairs = append(pairs, r, r)
	}
	return pairs
}
