// SPDX-License-Identifier: Apache-2.0

package repository

import "roadstead.dev/roadstead/pkg/util/text"

// Maximum lengths of texts from repositories in errors, in characters.
const (
	longestWord   = 120
	longestReason = 1000
)

// clean returns a word from a repository as a single line of limited length.
func clean(message string) string { return text.Line(message, longestWord) }
