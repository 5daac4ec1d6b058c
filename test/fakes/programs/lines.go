// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bytes"
	"io"
)

// lines reads a growing file line by line.
type lines struct {
	from io.Reader
	rest []byte // of a line that has not ended yet
}

func newLines(from io.Reader) *lines { return &lines{from: from} }

// hand prints the lines since the last call, with last also an incomplete one.
func (l *lines) hand(printf func(string, ...any), last bool) {
	fresh, _ := io.ReadAll(l.from)
	l.rest = append(l.rest, fresh...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			break
		}
		printf("%s", line)
		l.rest = rest
	}
	if last && len(l.rest) > 0 {
		printf("%s", l.rest)
		l.rest = nil
	}
}
