// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/proof/regex"
)

// patterns caches results about patterns, because large CRDs repeat the same few patterns many times.
type patterns struct {
	answers map[string]regex.Answer
	lengths map[string]lengths
}

// lengths are the lengths of the strings that a pattern matches.
type lengths struct {
	shortest, longest int
	bounded           bool
}

func newPatterns() *patterns {
	return &patterns{answers: map[string]regex.Answer{}, lengths: map[string]lengths{}}
}

// includes reports whether every string that matches all narrower patterns matches all wider ones.
func (p *patterns) includes(wider, narrower []string) regex.Answer {
	key := strings.Join(wider, "\x00") + "\x01" + strings.Join(narrower, "\x00")
	answer, known := p.answers[key]
	if !known {
		answer = regex.IncludesAll(wider, narrower)
		p.answers[key] = answer
	}
	return answer
}

// fit reports whether the patterns of a string alone keep its length within a bound.
func (p *patterns) fit(old *schema, l limit, lower bool) bool {
	for pattern := range old.patterns {
		known, seen := p.lengths[pattern]
		if !seen {
			known.shortest, known.longest, known.bounded = regex.Length(pattern)
			p.lengths[pattern] = known
		}
		if known.bounded && (lower && float64(known.shortest) >= l.value || !lower && float64(known.longest) <= l.value) {
			return true
		}
	}
	return false
}
