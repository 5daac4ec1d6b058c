// SPDX-License-Identifier: Apache-2.0

// Package text cuts texts that others wrote to what a message, a header, a status or an event has room for. It is a leaf:
// every other package may import it.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ellipsis ends what was cut. It counts as a part of the text.
const ellipsis = "…"

// Characters gives at most so many characters of a text, at least one.
func Characters(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:max(most-1, 0)]) + ellipsis
}

// Bytes gives at most so many bytes of a text, at least those of the ellipsis, without cutting through a character: for what
// the API server bounds by bytes.
func Bytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(most-len(ellipsis), 0)], "") + ellipsis
}

// Line is Characters of a text as one line: line breaks and other control characters become spaces, and bytes that are no text
// are marked.
func Line(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return Characters(text, most)
}
