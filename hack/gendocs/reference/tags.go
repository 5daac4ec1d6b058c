// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"go/ast"
	"strings"
)

// tags are the markers of a comment: +k8s:maxLength=3 is maxLength with the value 3.
type tags map[string]string

func (t tags) has(name string) bool {
	_, ok := t[name]
	return ok
}

// comment splits a comment into its text, on one line for each paragraph, and its markers.
func comment(group *ast.CommentGroup) (string, tags) {
	if group == nil {
		return "", nil
	}
	found := tags{}
	var paragraphs []string
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			paragraphs = append(paragraphs, strings.Join(lines, " "))
		}
		lines = nil
	}
	for line := range strings.Lines(group.Text()) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			flush()
		case strings.HasPrefix(line, "+"):
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(line, "+"), "k8s:"), "=")
			found[name] = value
		default:
			lines = append(lines, line)
		}
	}
	flush()
	return strings.Join(paragraphs, "\n\n"), found
}

// limits returns descriptions of the limits that the markers of a field and of its type set.
func limits(tags tags) []string {
	var words []string
	between := func(least, most, unit string) {
		low, hasLow := tags[least]
		high, hasHigh := tags[most]
		switch {
		case hasLow && hasHigh:
			words = append(words, strings.TrimSpace(fmt.Sprintf("%s to %s %s", low, high, unit)))
		case hasLow:
			words = append(words, strings.TrimSpace(fmt.Sprintf("at least %s %s", low, unit)))
		case hasHigh:
			words = append(words, strings.TrimSpace(fmt.Sprintf("at most %s %s", high, unit)))
		}
	}
	between("minLength", "maxLength", "characters")
	between("minimum", "maximum", "")
	between("minItems", "maxItems", "entries")
	between("minProperties", "maxProperties", "entries")
	switch tags["format"] {
	case "k8s-short-name":
		words = append(words, "a DNS label")
	case "k8s-long-name":
		words = append(words, "a DNS subdomain")
	}
	if tags["listType"] == "set" {
		words = append(words, "no entry twice")
	}
	return words
}
