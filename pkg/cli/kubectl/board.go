// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
)

// board shows the progress of objects: on a terminal one line for each object, which is
// overwritten, otherwise a line for each change.
type board struct {
	out io.Writer
	// size returns the width and the height of the terminal; nil if the output is not a terminal.
	size func() (width, height int)
	// drawn is the number of lines on the terminal.
	drawn int
	// said is the last printed text of each object, by its title.
	said map[string]string
}

func newBoard(out io.Writer) *board {
	b := &board{out: out, said: map[string]string{}}
	if isTerminal(out) {
		file := out.(*os.File)
		b.size = func() (int, int) {
			width, height, err := term.GetSize(int(file.Fd()))
			if err != nil || width <= 0 || height <= 0 {
				return 80, 24
			}
			return width, height
		}
	}
	return b
}

func (b *board) draw(all []*awaited) {
	if b.size == nil {
		b.say(all)
		return
	}
	width, height := b.size()
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", b.drawn) // up to the first line
	}
	lines := fit(all, width, height)
	for _, line := range lines {
		fmt.Fprintf(&out, "\x1b[2K%s\n", line)
	}
	for range b.drawn - len(lines) {
		out.WriteString("\x1b[2K\n")
	}
	b.drawn = max(b.drawn, len(lines))
	_, _ = io.WriteString(b.out, out.String())
}

func (b *board) say(all []*awaited) {
	for _, a := range all {
		if text := a.line(); b.said[a.title()] != text {
			b.said[a.title()] = text
			_, _ = fmt.Fprintln(b.out, text)
		}
	}
}

// fit returns the lines that fit on a terminal. If not all fit, objects that have not reached the
// state are first.
func fit(all []*awaited, width, height int) []string {
	room := max(height-2, 1)
	more := 0
	if len(all) > room {
		all = slices.Clone(all)
		slices.SortStableFunc(all, func(a, b *awaited) int { return boolAsInt(a.reached) - boolAsInt(b.reached) })
		more = len(all) - room
		all = all[:room]
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, shorten(a.line(), width-1))
	}
	if more > 0 {
		lines = append(lines, shorten(fmt.Sprintf("... and %d more", more), width-1))
	}
	return lines
}

func boolAsInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shorten truncates a line to the width of the terminal.
func shorten(line string, width int) string {
	runes := []rune(line)
	if width < 4 || len(runes) <= width {
		return line
	}
	return string(runes[:width-3]) + "..."
}

// line returns the progress of an object.
func (a *awaited) line() string {
	mark := "[  ]"
	switch {
	case a.reached:
		mark = "[ok]"
	case a.failed:
		mark = "[!!]"
	}
	return fmt.Sprintf("%s %s %s", mark, a.title(), a.text)
}
