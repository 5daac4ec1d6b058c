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
		_, _ = fmt.Fprintf(t.streams.ErrOut, "Could not be asked: %s\n", what)
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

// printReady claims nothing about what could not be asked.
func (t *tool) printReady(r *report) error {
	where := fmt.Sprintf("in namespace %s", r.namespace)
	if r.namespace == "" {
		where = "in all namespaces"
	}
	text := fmt.Sprintf("Nothing is amiss: %s looked at %s.", plural(r.Objects, "object was", "objects were"), where)
	switch {
	case len(r.NotAsked) > 0:
		text = fmt.Sprintf("Nothing is amiss with what could be asked: %s looked at %s.", plural(r.Objects, "object was", "objects were"), where)
	case r.Objects == 0:
		text = fmt.Sprintf("There are no objects of Roadstead %s.", where)
	}
	_, err := fmt.Fprintln(t.streams.Out, text)
	return err
}

// statusRows lays out the findings. The namespace is shown where it is not the one that was asked for.
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

// orNone is what kubectl shows for nothing.
func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}
