// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/printers"
)

func (t *tool) printStatus(r *report, output string) error {
	if output == outputJSON {
		encoder := json.NewEncoder(t.streams.Out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	for _, what := range r.NotAsked {
		_, _ = fmt.Fprintf(t.streams.ErrOut, "Could not be checked: %s\n", what)
	}
	for _, note := range r.Notes {
		_, _ = fmt.Fprintf(t.streams.ErrOut, "Note: %s\n", note)
	}
	if len(r.Findings) == 0 {
		return t.printReady(r)
	}
	header, rows := statusRows(r, output == outputWide, time.Now())
	writer := printers.GetNewTabWriter(t.streams.Out)
	for _, row := range append([][]string{header}, rows...) {
		_, _ = fmt.Fprintln(writer, strings.Join(row, "\t"))
	}
	return writer.Flush()
}

// printReady prints the result without findings, restricted to what could be checked.
func (t *tool) printReady(r *report) error {
	where := fmt.Sprintf("in namespace %s", r.namespace)
	if r.namespace == "" {
		where = "in all namespaces"
	}
	text := fmt.Sprintf("No problems found: %s checked %s.", plural(r.Objects, "object was", "objects were"), where)
	switch {
	case len(r.NotAsked) > 0:
		text = fmt.Sprintf("No problems found in what could be checked: %s checked %s.", plural(r.Objects, "object was", "objects were"), where)
	case r.Objects == 0:
		text = fmt.Sprintf("No objects of Roadstead found %s.", where)
	}
	_, err := fmt.Fprintln(t.streams.Out, text)
	return err
}

// statusRows returns the rows of the findings. The namespace is shown if it is not the selected
// one.
func statusRows(r *report, wide bool, now time.Time) (header []string, rows [][]string) {
	header = []string{"KIND/NAME", "REASON"}
	if r.namespace == "" {
		header = append([]string{"NAMESPACE"}, header...)
	}
	if wide {
		header = append(header, "PHASE", "SINCE", "ALIKE", "WAITING")
	}
	header = append(header, "MESSAGE")
	for _, f := range r.Findings {
		row := []string{f.title(), f.Reason}
		if r.namespace == "" {
			row = append([]string{f.Namespace}, row...)
		}
		if wide {
			row = append(row, orNone(f.Phase), since(f, now), orNone(some(f.Alike)), orNone(some(f.Waiting)), orNone(f.Message))
		} else {
			row = append(row, orNone(f.sentence()))
		}
		rows = append(rows, row)
	}
	return header, rows
}

func since(f *finding, now time.Time) string {
	if f.Since == nil {
		return age(time.Time{}, now)
	}
	return age(*f.Since, now)
}

// orNone returns the text, or <none> if it is empty.
func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}
