// SPDX-License-Identifier: Apache-2.0

package charts

import "roadstead.dev/roadstead/pkg/shorttext"

// How long texts in errors may be that others wrote, in characters.
const (
	longestWord   = 120
	longestReason = 1000
)

// clean makes a word that a repository wrote fit for a line.
func clean(text string) string { return shorttext.Line(text, longestWord) }
