// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

func printMachine(to io.Writer, r *Results) {
	_, _ = fmt.Fprintf(to, "%s\n%s\n\n", r.facts(), r.programs())
}

// facts returns a description of the machine in one line.
func (r *Results) facts() string {
	m := r.Machine
	return fmt.Sprintf("%d cores (%s), %.0f GiB, Linux %s; a write of 4 KiB with fsync takes %s ms", m.Cores, m.CPU, m.MemoryGiB,
		m.Kernel, number(m.SyncMillis))
}

// programs returns the versions of the compared programs in one line.
func (r *Results) programs() string {
	return fmt.Sprintf("Roadstead %s, Kubernetes %s, %s", r.Versions.Roadstead, r.Versions.Kubernetes, r.Machine.Go)
}

func printTable(to io.Writer, r *Results) {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "\nMEASURE\tVARIANT\tUNIT\tROADSTEAD\tCRD\tRATIO\tGOAL\tHOLDS")
	for _, row := range r.Rows {
		c := row.cells()
		_, _ = fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", row.Measure, row.Variant, row.Unit, c.ours, c.crd, c.ratio, c.goal, c.holds)
	}
	_ = out.Flush()
	for _, row := range r.Rows {
		if row.Note != "" {
			_, _ = fmt.Fprintf(to, "%s (%s): %s\n", row.Measure, row.Variant, row.Note)
		}
	}
}

// cells are the values of a row as text.
type cells struct{ ours, crd, ratio, goal, holds string }

func (r Row) cells() cells {
	c := cells{ours: r.Ours.text(""), crd: r.CRD.text(""), ratio: r.Ratio.text("×"), holds: "–"}
	if r.Goal != nil {
		unit := ""
		if r.Goal.Of == ofRatio {
			unit = "×"
		}
		c.goal = map[string]string{"<=": "≤", ">=": "≥"}[r.Goal.Op] + " " + number(r.Goal.Value) + unit
	}
	switch {
	case r.Problem != "":
		c.holds = "invalid: " + r.Problem
	case r.Holds != nil && *r.Holds:
		c.holds = "yes"
	case r.Holds != nil:
		c.holds = "no"
	}
	return c
}

// text returns the median, with the minimum and the maximum if there are several values.
func (s *Spread) text(unit string) string {
	if s == nil {
		return ""
	}
	if s.Rounds == 1 {
		return number(s.Median) + unit
	}
	return fmt.Sprintf("%s%s (%s–%s)", number(s.Median), unit, number(s.Min), number(s.Max))
}

// number formats a value with three significant digits, and with all digits before the decimal
// point.
func number(value float64) string {
	if value == 0 {
		return "0"
	}
	digits := max(2-int(math.Floor(math.Log10(math.Abs(value)))), 0)
	scale := math.Pow10(digits)
	return strconv.FormatFloat(math.Round(value*scale)/scale, 'f', -1, 64)
}
