// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"io"
	"time"

	"k8s.io/cli-runtime/pkg/printers"
)

// printTree first prints the objects above, then the object with all objects below it.
func (t *tool) printTree(grown *tree, now time.Time) error {
	for _, note := range grown.notes {
		_, _ = fmt.Fprintf(t.streams.ErrOut, "Note: %s\n", note)
	}
	writer := printers.GetNewTabWriter(t.streams.Out)
	_, _ = fmt.Fprintln(writer, "NAME\tREADY\tREASON\tAGE")
	for _, b := range grown.above {
		_, _ = fmt.Fprintf(writer, "%s (%s)\t%s\n", b.title, b.why, b.cells(now))
	}
	grown.root.print(writer, "", "", now)
	return writer.Flush()
}

// print writes a line for an object and the objects below it. first is the prefix of the object's
// line, next that of the lines below.
func (b *branch) print(writer io.Writer, first, next string, now time.Time) {
	title := b.title
	if b.why != "" {
		title = fmt.Sprintf("%s (by its %s)", title, b.why)
	}
	_, _ = fmt.Fprintf(writer, "%s%s\t%s\n", first, title, b.cells(now))
	for i, child := range b.children {
		if i == len(b.children)-1 {
			child.print(writer, next+"└─", next+"  ", now)
		} else {
			child.print(writer, next+"├─", next+"│ ", now)
		}
	}
}

func (b *branch) cells(now time.Time) string {
	switch {
	case b.node != nil && b.node.ready:
		return fmt.Sprintf("True\t%s\t%s", b.node.reason, age(b.made, now))
	case b.node != nil:
		return fmt.Sprintf("False\t%s\t%s", b.node.reason, age(b.made, now))
	case b.made.IsZero():
		return fmt.Sprintf("False\t%s\t%s", reasonNotFound, age(b.made, now))
	}
	return fmt.Sprintf("-\t\t%s", age(b.made, now))
}
