// SPDX-License-Identifier: Apache-2.0

// Package text truncates texts from other sources to the limits of a message, a header, a status or
// an event. It is a leaf: every other package may import it.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends a truncated text, and counts as a part of it.
const ellipsis = "…"

// Characters returns at most the given number of characters of a text, at least one.
func Characters(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(most-1, 0)]) + ellipsis
}

// Bytes returns at most the given number of bytes of a text, at least those of the ellipsis,
// without splitting a character. It is for fields that the API server limits in bytes.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most-len(ellipsis), 0)], "") + ellipsis
}

// Line is like Characters, and returns one line: it replaces line breaks and other control
// characters by spaces, and marks invalid bytes.
func Line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return Characters(text, most)
}
