// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/scanner"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// passage is text for a reader, with its line in the file.
type passage struct {
	text string
	line int
}

// readerOf returns the function that finds the text for readers in a file of this name, or nil if
// there is none.
func readerOf(name string) func(name string, content []byte) []passage {
	switch {
	case strings.Contains(name, "/testdata/"), strings.HasPrefix(name, "pkg/generated/"):
		return nil
	case strings.HasSuffix(name, ".pb.go"), strings.HasPrefix(path.Base(name), "zz_generated"):
		return nil
	case strings.HasSuffix(name, ".go"):
		return passagesOfGo
	case strings.HasSuffix(name, ".md"), strings.HasSuffix(name, "/NOTES.txt"):
		return passagesOfMarkdown
	case strings.HasPrefix(name, "artifacts/") && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".json")):
		return passagesOfLines
	case strings.HasSuffix(name, ".sh"), strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"), path.Base(name) == "Makefile":
		return passagesOfHashes
	}
	return nil
}

// passagesOfGo returns every comment, and the strings of the programs that contain a space, because
// a user may read each of them.
func passagesOfGo(name string, content []byte) []passage {
	internal := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "test/") ||
		strings.HasPrefix(name, "hack/") && !strings.HasPrefix(name, "hack/demo/")
	set := token.NewFileSet()
	file := set.AddFile(name, -1, len(content))
	var scan scanner.Scanner
	scan.Init(file, content, nil, scanner.ScanComments)
	var all []passage
	for {
		position, kind, literal := scan.Scan()
		switch {
		case kind == token.EOF:
			return all
		case kind == token.COMMENT && !strings.HasPrefix(literal, "//go:") && !strings.HasPrefix(literal, "//\t"),
			kind == token.STRING && !internal && strings.Contains(literal, " ") && !strings.Contains(literal, `protobuf:"`):
			if kind == token.STRING {
				literal = literal[1 : len(literal)-1]
			}
			for i, line := range strings.Split(literal, "\n") {
				if kind == token.COMMENT && i == 0 {
					line = subject.ReplaceAllLiteralString(line, "")
				}
				all = append(all, passage{withoutCode(line), file.Line(position) + i})
			}
		}
	}
}

// passagesOfMarkdown returns the prose: lines outside of fences, without code and the targets of
// links.
func passagesOfMarkdown(_ string, content []byte) []passage {
	fenced := false
	return passagesOf(content, func(line string) (string, bool) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			return "", false
		}
		return line, !fenced
	})
}

func passagesOfLines(_ string, content []byte) []passage {
	return passagesOf(content, func(line string) (string, bool) { return line, true })
}

// passagesOfHashes returns the comments of files in which they begin with a number sign.
func passagesOfHashes(_ string, content []byte) []passage {
	return passagesOf(content, func(line string) (string, bool) {
		_, comment, found := strings.Cut(" "+line, " #")
		return comment, found && !strings.HasPrefix(line, "#!")
	})
}

// passagesOf returns the text of each line that text accepts.
func passagesOf(content []byte, text func(line string) (string, bool)) []passage {
	var all []passage
	for i, line := range strings.Split(string(content), "\n") {
		if found, ok := text(line); ok {
			all = append(all, passage{withoutCode(found), i + 1})
		}
	}
	return all
}

// subject is the first word of a comment: the name of what it describes.
var subject = regexp.MustCompile(`^//? \w+`)

var code = regexp.MustCompile("`[^`]*`|" + `\]\([^)]*\)|https?://\S+|--[a-z-]+|"[^" ]*"|'[^' ]*'`)

// withoutCode removes quotations: code, single quoted words, targets of links, addresses, flags.
func withoutCode(line string) string { return code.ReplaceAllString(line, " ") }
