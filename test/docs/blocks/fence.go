// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// fence is the line that opens a block.
type fence struct {
	// indent is the text before the fence, marks its backticks or tildes, and info its info string.
	indent, marks, info string
}

var opening = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})[ \t]*(.*)$")

// openFence reports whether a line opens a block. A line of backticks that contains further
// backticks is inline code.
func openFence(line string) (fence, bool) {
	match := opening.FindStringSubmatch(line)
	if match == nil || match[2][0] == '`' && strings.Contains(match[3], "`") {
		return fence{}, false
	}
	return fence{indent: match[1], marks: match[2], info: strings.TrimSpace(match[3])}, true
}

// closes reports whether a line closes the block.
func (f fence) closes(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(f.marks) && strings.Trim(line, f.marks[:1]) == ""
}

// content returns lines of the block without the indentation of the fence.
func (f fence) content(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.TrimPrefix(line, f.indent) + "\n")
	}
	return out.String()
}

// The words after the language that define how a block is run.
const (
	notRun = "not-run:"
	varies = "varies:"
	fails  = "fails:"
)

// reasonWords is the minimum number of words of a reason.
const reasonWords = 3

// read parses the info string of a fence.
func (b *Block) read(info string) (err error) {
	language, rest, _ := strings.Cut(info, " ")
	b.Language = language
	switch rest = strings.TrimSpace(rest); {
	case rest == "":
		return nil
	case strings.HasPrefix(rest, notRun):
		b.NotRun, err = reason(rest, notRun)
		return err
	case strings.HasPrefix(rest, varies) && language == Console:
		b.Varies, err = reason(rest, varies)
		return err
	case strings.HasPrefix(rest, fails) && language == Console:
		for _, word := range strings.Fields(strings.TrimPrefix(rest, fails)) {
			number, err := strconv.Atoi(word)
			if err != nil || number < 1 {
				return fmt.Errorf("%q: the commands that fail are to be numbers from 1", rest)
			}
			b.Fails = append(b.Fails, number)
		}
		return nil
	}
	return fmt.Errorf("nobody understands %q behind the language: write %s <reason>, or at a console block %s <numbers of "+
		"commands> or %s <reason>", rest, notRun, fails, varies)
}

// reason returns the reason after a word. It returns an error if the reason is too short.
func reason(text, word string) (string, error) {
	said := strings.TrimSpace(strings.TrimPrefix(text, word))
	if len(strings.Fields(said)) < reasonWords {
		return "", fmt.Errorf("%q gives no reason: say in a few words why it is so", text)
	}
	return said, nil
}
