// SPDX-License-Identifier: Apache-2.0

package regex

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// expressions draws small regular expressions over the letters of brute.
func expressions(depth int) *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		"a", "b", "A", "-", "ab", ".", "(?s:.)", "[ab]", "[^a]", "[^\\n]", `\n`, "", "^", "$", `\A`, `\z`, `\b`, `\B`,
		"(?i:a)", "(?m:^)", "(?m:$)", `\w`, `\W`, `(?i:[^b])`,
	})
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		sub := expressions(depth - 1)
		group := func(name string) string { return "(?:" + sub.Draw(t, name) + ")" }
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			return group("left") + "|" + group("right")
		case 2, 3, 4:
			return group("first") + group("second")
		case 5:
			return group("many") + "*"
		case 6:
			return group("some") + rapid.SampledFrom([]string{"+", "?", "{1,2}", "{2}", "{0,3}", "{2,}"}).Draw(t, "count")
		case 7:
			return "^" + group("whole") + "$"
		default:
			return leaf.Draw(t, "leaf")
		}
	})
}

// brute contains all strings of a small alphabet up to a length.
var brute = func() []string {
	all, last := []string{""}, []string{""}
	for range 5 {
		var next []string
		for _, s := range last {
			for _, r := range "abA-\n" {
				next = append(next, s+string(r))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}()

func TestIncludes_AgreesWithMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wider := rapid.SliceOfN(expressions(3), 1, 2).Draw(t, "wider")
		narrower := rapid.SliceOfN(expressions(3), 1, 2).Draw(t, "narrower")
		answer := IncludesAll(wider, narrower)
		require.True(t, answer.Proved != answer.Refuted, "small expressions are always decided: %+v", answer)
		counter := trial(wider, narrower)
		if answer.Proved {
			require.Empty(t, counter, "proved, but a string contradicts it")
			return
		}
		require.False(t, matchesAll(compiled(wider), answer.Witness))
		require.True(t, matchesAll(compiled(narrower), answer.Witness))
		for _, s := range counter {
			readable := !strings.Contains(s, "\n")
			require.False(t, readable && len(wider) == 1 && len([]rune(s)) < len([]rune(answer.Witness)),
				"%q is shorter than the witness %q", s, answer.Witness)
		}
	})
}

func TestLength_AgreesWithMatcher(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := expressions(3).Draw(t, "pattern")
		shortest, longest, bounded := Length(pattern)
		expression := regexp.MustCompile(pattern)
		least, most := -1, -1
		for _, s := range brute {
			if expression.MatchString(s) {
				if least < 0 {
					least = len(s)
				}
				most = len(s)
			}
		}
		switch {
		case least >= 0:
			require.Equal(t, least, shortest)
			require.True(t, !bounded || longest >= most)
		case bounded && longest == 0:
			require.Zero(t, shortest, "no string matches")
		default:
			require.Greater(t, shortest, 5, "the tested strings are shorter than all matches")
		}
		if bounded && longest <= 5 && longest > 0 {
			require.Equal(t, most, longest)
		}
	})
}

func compiled(patterns []string) []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, pattern := range patterns {
		all = append(all, regexp.MustCompile(pattern))
	}
	return all
}

func matchesAll(expressions []*regexp.Regexp, s string) bool {
	for _, expression := range expressions {
		if !expression.MatchString(s) {
			return false
		}
	}
	return true
}

// trial returns a string of brute that contradicts an inclusion.
func trial(wider, narrower []string) []string {
	w, n := compiled(wider), compiled(narrower)
	var counter []string
	for _, s := range brute {
		if matchesAll(n, s) && !matchesAll(w, s) {
			counter = append(counter, s)
		}
	}
	return counter
}

func FuzzIncludes(f *testing.F) {
	for _, pair := range [][2]string{
		{subdomain, label}, {quantity, semver}, {`(?i)k\b`, `(?m)^$`}, {`(`, `[`}, {`\pL{3}`, `^.*$`},
		{"\xff", `\x{d800}`}, {`a{1000}`, `(a|b)*`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, wider, narrower string) {
		answer := Includes(wider, narrower)
		if answer.Proved && answer.Refuted {
			t.Fatal("proved and refuted")
		}
		if answer.Refuted && !verified(answer.Witness, wider, []string{narrower}) {
			t.Fatalf("%q is no witness", answer.Witness)
		}
		for _, s := range []string{"", narrower, wider, "a", "k\n", "\u212a"} {
			if answer.Proved && !verifies(wider, narrower, s) {
				t.Fatalf("proved, but %q matches %q only", s, narrower)
			}
		}
	})
}

// verifies reports whether a string does not contradict an inclusion.
func verifies(wider, narrower, s string) bool {
	return !verified(s, wider, []string{narrower})
}
