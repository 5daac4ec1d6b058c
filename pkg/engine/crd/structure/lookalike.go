// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"strings"
	"unicode"
)

// lookalike returns the new property that a removed property was probably renamed to, or "".
func lookalike(old, new *schema, name string) string {
	gone := missing(old, new)
	var fresh []string
	for _, candidate := range sortedKeys(new.properties) {
		if old.properties[candidate] == nil {
			fresh = append(fresh, candidate)
		}
	}
	for _, candidate := range fresh {
		if plainName(candidate) == plainName(name) {
			return candidate
		}
	}
	for _, candidate := range fresh {
		if old.properties[name].types != new.properties[candidate].types {
			continue
		}
		one, other := plainName(name), plainName(candidate)
		if len(gone) == 1 && len(fresh) == 1 && (strings.Contains(one, other) || strings.Contains(other, one)) || nearly(one, other) {
			return candidate
		}
	}
	return ""
}

// plainName returns a name in lower case, without punctuation.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// nearly reports whether two names differ by one added, removed or changed letter and are long enough
// for the similarity to be significant.
func nearly(one, other string) bool {
	if len(one) > len(other) {
		one, other = other, one
	}
	if len(one) < 4 || len(other)-len(one) > 1 {
		return false
	}
	same := 0
	for same < len(one) && one[same] == other[same] {
		same++
	}
	rest := one[same:]
	if len(one) == len(other) {
		return same < len(one) && rest[1:] == other[same+1:]
	}
	return rest == other[same+1:]
}

// lookalikeValue returns the new enum value that a removed one was probably renamed to: the same value
// except for case and punctuation.
func lookalikeValue(gone string, fresh []string) string {
	for _, candidate := range fresh {
		if plainName(candidate) == plainName(gone) && plainName(gone) != "" {
			return candidate
		}
	}
	return ""
}
