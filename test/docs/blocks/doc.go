// SPDX-License-Identifier: Apache-2.0

// Package blocks reads the command blocks of Markdown pages and runs them as a careful reader
// would: in order, in one shell, while comparing the output with the page.
//
// A block is fenced. The first word of its info string is the language: sh is a script, console
// shows commands after "$ " and their output below each. Further words, which code hosts do not
// show, define how it is run (see Block).
//
// Setup that a page needs but that is not for readers is in a setup file,
// test/integration/docs/<page>.sh: the path of the page without docs/ and .md, with dashes for
// slashes. The README of a directory has the name of the directory. Each section of the file is a
// script below a header that defines where it runs, with an optional reason:
//
//	# before #anchor-of-a-heading 1: it needs the namespace
//	a script, run before the first command block below that heading, in the shell of the page
//
//	# after #anchor-of-a-heading 2
//	a script, run after the second command block below that heading, in the shell of the page
//
//	# after
//	a script, run at the end of the page in a separate shell, even if an earlier block failed
//
// Command blocks are those of the languages sh and console, including those that are not run. Only
// blocks between the heading and the next heading of any level count. Scripts for the same place
// run in the order of the file. Other comments in a script must not begin with the words before or
// after.
package blocks
