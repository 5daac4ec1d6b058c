// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"math"
	"regexp"
	"unicode/utf8"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// leaf reports whether a scalar is valid. If validity cannot be decided, known is false and ok has no
// meaning.
func (s *schema) leaf(value any) (known, ok bool) {
	kind := typeOfValue(value)
	if value == nil {
		return true, s.nullable
	}
	if kind&typeScalar == 0 {
		return false, false
	}
	if !s.types.has(kind) {
		return true, false
	}
	if s.enum != nil {
		if _, listed := s.enum[shownWhole(value)]; !listed {
			return true, false
		}
	}
	known, ok = true, true
	switch value := value.(type) {
	case float64:
		ok = s.number(value)
	case string:
		known, ok = s.text(value)
	}
	if known && !ok {
		return true, false
	}
	return s.leafConditions(value, known)
}

func (s *schema) number(value float64) bool {
	own := limit{is: true, value: value}
	l := s.effective()
	if !own.within(l.minimum, true) || !own.within(l.maximum, false) {
		return false
	}
	for factor := range s.multiples {
		if quotient := value / factor; quotient != math.Trunc(quotient) {
			return false
		}
	}
	return true
}

func (s *schema) text(value string) (known, ok bool) {
	own := limit{is: true, value: float64(utf8.RuneCountInString(value))}
	if !own.within(s.limits.minLength, true) || !own.within(s.limits.maxLength, false) {
		return true, false
	}
	known = true
	for pattern := range s.patterns {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			known = false
		} else if !compiled.MatchString(value) {
			return true, false
		}
	}
	for format := range s.formats {
		switch {
		case shortOrLong(format):
			known = false
		case s.checks(format, oldest) && !strfmt.Default.Validates(format, value):
			return true, false
		}
	}
	return known, true
}

// leafConditions checks a scalar against anyOf, oneOf and not.
func (s *schema) leafConditions(value any, known bool) (bool, bool) {
	for _, branches := range s.anyOf {
		matching, all := matches(branches, value)
		if matching == 0 && all {
			return true, false
		}
		known = known && (all || matching > 0)
	}
	for _, branches := range s.oneOf {
		matching, all := matches(branches, value)
		if all && matching != 1 {
			return true, false
		}
		known = known && all
	}
	for _, body := range s.not {
		decided, ok := body.leaf(value)
		if decided && ok {
			return true, false
		}
		known = known && decided
	}
	return known, true
}

// matches returns the number of branches that a value is known to match. all reports whether the
// result is known for every branch.
func matches(branches []*schema, value any) (matching int, all bool) {
	all = true
	for _, branch := range branches {
		known, ok := branch.leaf(value)
		if known && ok {
			matching++
		}
		all = all && known
	}
	return matching, all
}
