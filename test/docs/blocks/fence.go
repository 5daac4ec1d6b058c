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
	// indent is what stands before it, marks its backticks or tildes, info what follows them.
	indent, marks, info string
}

var opening = regexp.MustCompile("^([ \t]*)(`{3,}|~{3,})[ \t]*(.*)$")

// openFence tells whether a line opens a block. A line of backticks with more of them behind is inline code.
func openFence(line string) (fence, bool) {
	match := opening.FindStringSubmatch(line)
	if match == nil || match[2][0] == '`' && strings.Contains(match[3], "`") {
		return fence{}, false
	}
	return fence{indent: match[1], marks: match[2], info: strings.TrimSpace(match[3])}, true
}

// closes tells whether a line closes the block.
func (f fence) closes(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(f.marks) && strings.Trim(line, f.marks[:1]) == ""
}

// content gives lines of the block without the fence's indentation.
func (f fence) content(lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		out.WriteString(strings.TrimPrefix(line, f.indent) + "\n")
	}
	return out.String()
}

// How a block is run, behind its language.
const (
	notRun = "not-run:"
	varies = "varies:"
	fails  = "fails:"
)

// reasonWords is how many words say something.
const reasonWords = 3

// read takes what stands behind a fence.
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

// reason gives what follows a word.
func reason(text, word string) (string, error) {
	said := strings.TrimSpace(strings.TrimPrefix(text, word))
	if len(strings.Fields(said)) < reasonWords {
		return "", fmt.Errorf("%q gives no reason: say in a few words why it is so", text)
	}
	return said, nil
}
