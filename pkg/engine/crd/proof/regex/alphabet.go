// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
)

// alphabet partitions all runes into letters: classes of runes that no program distinguishes. Surrogates are
// omitted, because strings do not contain them.
type alphabet struct {
	// letters contains a representative of each class: a letter or digit if the class has one, otherwise a printable rune.
	letters []rune
	// takes[program][set][letter] reports whether the set contains the letter.
	takes [][][]bool
}

// preferred is the order of preference for the runes of a witness.
const preferred = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._/:@ !#$%&'()*+,;<=>?[]^`{|}~\"\\"

const (
	surrogateFirst = 0xD800
	surrogateLast  = 0xDFFF
)

func alphabetOf(programs []*program) (*alphabet, bool) {
	starts := boundaries(programs)
	sets := 0
	for _, p := range programs {
		sets += len(p.sets)
	}
	if (sets+2)*len(starts) > maxClassWork {
		return nil, false
	}
	classes := map[string][]int{} // signature → the ranges, by their index in starts
	var order []string
	for at, start := range starts {
		if surrogateFirst <= start && start <= surrogateLast {
			continue
		}
		key := signature(programs, start)
		if classes[key] == nil {
			order = append(order, key)
		}
		classes[key] = append(classes[key], at)
	}
	if len(order) > maxLetters {
		return nil, false
	}
	letters := make([]rune, 0, len(order))
	for _, key := range order {
		letters = append(letters, representative(starts, classes[key]))
	}
	slices.SortStableFunc(letters, func(a, b rune) int { return rank(a) - rank(b) })
	return &alphabet{letters: letters, takes: takesOf(programs, letters)}, true
}

// boundaries returns the runes at which a set of a program, or a class of runes of an assertion, begins.
func boundaries(programs []*program) []rune {
	starts := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, surrogateFirst, surrogateLast + 1}
	for _, p := range programs {
		for _, set := range p.sets {
			for i := 0; i < len(set); i += 2 {
				starts = append(starts, set[i])
				if set[i+1] < unicode.MaxRune {
					starts = append(starts, set[i+1]+1)
				}
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// signature encodes everything that the programs can distinguish about a rune.
func signature(programs []*program, r rune) string {
	var bits []byte
	var ops syntax.EmptyOp
	for _, p := range programs {
		ops |= p.ops
		for _, set := range p.sets {
			bits = append(bits, bit(holds(set, r)))
		}
	}
	bits = append(bits, bit(ops&lineOps != 0 && r == '\n'))
	return string(append(bits, bit(ops&wordOps != 0 && syntax.IsWordChar(r))))
}

func bit(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

func holds(set []rune, r rune) bool {
	at := sort.Search(len(set)/2, func(i int) bool { return set[2*i+1] >= r })
	return 2*at < len(set) && set[2*at] <= r
}

// representative returns the most readable rune of a class.
func representative(starts []rune, ranges []int) rune {
	best := starts[ranges[0]]
	for _, at := range ranges {
		last := rune(unicode.MaxRune)
		if at+1 < len(starts) {
			last = starts[at+1] - 1
		}
		// The search in a range is limited: printable runes beyond ASCII occur in long sequences.
		for r := starts[at]; r <= min(last, starts[at]+256); r++ {
			if rank(r) < rank(best) {
				best = r
			}
		}
	}
	return best
}

// ranks contains the position of each ASCII rune in preferred.
var ranks = func() (ranks [128]int) {
	for r := range ranks {
		ranks[r] = len(preferred) + 2
	}
	for at, r := range preferred {
		ranks[r] = at
	}
	return ranks
}()

func rank(r rune) int {
	switch {
	case r < 128:
		return ranks[r]
	case unicode.IsLetter(r):
		return len(preferred)
	case unicode.IsPrint(r) && r != unicode.ReplacementChar:
		return len(preferred) + 1
	default:
		return len(preferred) + 3
	}
}

func takesOf(programs []*program, letters []rune) [][][]bool {
	takes := make([][][]bool, len(programs))
	for at, p := range programs {
		takes[at] = make([][]bool, len(p.sets))
		for set, runes := range p.sets {
			row := make([]bool, len(letters))
			for letter, r := range letters {
				row[letter] = holds(runes, r)
			}
			takes[at][set] = row
		}
	}
	return takes
}

// all returns the numbers of all letters.
func (a *alphabet) all() []int {
	all := make([]int, len(a.letters))
	for letter := range all {
		all[letter] = letter
	}
	return all
}

// printable returns the numbers of the printable letters.
func (a *alphabet) printable() []int {
	return slices.DeleteFunc(a.all(), func(letter int) bool { return !unicode.IsPrint(a.letters[letter]) })
}
