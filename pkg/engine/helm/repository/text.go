// SPDX-License-Identifier: Apache-2.0

package repository

import "roadstead.dev/roadstead/pkg/util/text"

// How long texts in errors may be that others wrote, in characters.
const (
	longestWord   = 120
	longestReason = 1000
)

// clean makes a word that a repository wrote fit for a line.
func clean(message string) string { return text.Line(message, longestWord) }
