// SPDX-License-Identifier: Apache-2.0

// Package blocks reads the command blocks of Markdown pages and runs them as a careful reader would: in order, in one shell,
// with an eye on what the page says that is printed.
//
// A block is fenced. Its first word is the language: sh is a script, console shows commands behind "$ " and below each what
// it prints. More words, which code hosts do not show, say how it is run (see Block). What a page needs and readers need not
// see stands in comments, which code hosts do not show either:
//
//	<!-- docs-test: run
//	a script, run at this place
//	-->
//	<!-- docs-test: after
//	a script, run at the end of the page, even when a block before failed
//	-->
package blocks
