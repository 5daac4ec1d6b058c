// SPDX-License-Identifier: Apache-2.0

// Package blocks reads the command blocks of Markdown pages and runs them as a careful reader would: in order, in one shell,
// with an eye on what the page says that is printed.
//
// A block is fenced. Its first word is the language: sh is a script, console shows commands behind "$ " and below each what
// it prints. More words, which code hosts do not show, say how it is run (see Block).
//
// What a page needs and readers need not see is in a set-up file, test/integration/docs/<page>.sh: the path of the page without
// docs/ and .md, with dashes for slashes; the README of a folder has the name of the folder. Each section of the file is a
// script below a header that says where it runs, with an optional reason:
//
//	# before #anchor-of-a-heading 1: it needs the namespace
//	a script, run before the first command block below that heading, in the shell of the page
//
//	# after #anchor-of-a-heading 2
//	a script, run after the second command block below that heading, in the shell of the page
//
//	# after
//	a script, run at the end of the page in a shell of its own, even when a block before failed
//
// Command blocks are those of the languages sh and console, also those that are not run. Only blocks between the heading and
// the next heading of any level count. Scripts of the same place run in the order of the file. Other comments in a script must
// not begin with the words before or after.
package blocks
