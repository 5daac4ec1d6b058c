// SPDX-License-Identifier: Apache-2.0

package charts

import "strings"

// How long texts in errors may be that others wrote, in bytes.
const (
	longestWord   = 120
	longestReason = 1000
)

// clean makes a word that a repository wrote fit for a line.
func clean(text string) string { return shortened(text, longestWord) }

// shortened makes a text fit for a line.
func shortened(text string, longest int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}
