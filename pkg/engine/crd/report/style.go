// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// style adds colors to text for a terminal, if it is true.
type style bool

func (s style) paint(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) dim(text string) string  { return s.paint("2", text) }
func (s style) bold(text string) string { return s.paint("1", text) }

func (s style) verdict(verdict rules.Verdict, text string) string {
	switch {
	case verdict.Breaks():
		return s.paint("1;31", text)
	case verdict == rules.Review:
		return s.paint("1;33", text)
	}
	return s.paint("1;32", text)
}

// word returns the first word of the line of a verdict.
func word(verdict rules.Verdict) string {
	switch verdict {
	case rules.Refused:
		return "REFUSED"
	case rules.Destructive:
		return "DESTRUCTIVE"
	case rules.Breaking:
		return "BREAKING"
	case rules.Review:
		return "REVIEW"
	case rules.Safe:
		return "SAFE"
	}
	return "OK"
}

// together is a placeholder for a space that must not be replaced by a line break.
const together = "\x00"

// wrap breaks text at spaces into lines of at most width runes; longer words are not broken. The first line begins with first,
// the others with the indent.
func wrap(text, first, indent string, width int) []string {
	var lines []string
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line+" "+word) > width {
			lines = append(lines, line)
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+strings.ReplaceAll(word, together, " "), false
	}
	if empty {
		return lines
	}
	return append(lines, line)
}

// cut truncates text to at most limit runes, on one line.
func cut(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:max(limit-1, 0)]) + "…"
}

// cutLine is like cut, but preserves repeated spaces.
func cutLine(line string, limit int) string {
	if utf8.RuneCountInString(line) <= limit {
		return line
	}
	return string([]rune(line)[:max(limit-1, 0)]) + "…"
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// clean replaces control characters, because manifests are not trusted, and a terminal would interpret them.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
