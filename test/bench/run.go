// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// measure is one measurement. It returns its rows. An error does not prevent other measures.
type measure struct {
	name string
	run  func(context.Context, *bed) ([]Row, error)
}

// measures are run in this order: later ones use the objects of the first, and restart what earlier
// ones need.
var measures = []measure{
	{"fill", measureFill},
	{"create", measureCreate},
	{"get", measureGet},
	{"aggregator", measureAggregator},
	{"write", measureWrite},
	{"list", measureList},
	{"watch", measureWatch},
	{"start", measureStart},
	{"blind", measureNameBlind},
	{"rest", measureRest},
}

// needed is run with every selection: the other measures read the objects that it creates.
const needed = "fill"

// selection parses BENCH.
func selection(text string) ([]measure, plan, error) {
	how := wholePlan
	var names []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if word == "short" {
			how = shortPlan
			continue
		}
		if !slices.ContainsFunc(measures, func(m measure) bool { return m.name == word }) {
			return nil, how, fmt.Errorf("BENCH names %q, which is no measure; there are short and %s", word, strings.Join(measureNames(), ", "))
		}
		names = append(names, word)
	}
	if len(names) == 0 {
		return measures, how, nil
	}
	var selected []measure
	for _, m := range measures {
		if m.name == needed || slices.Contains(names, m.name) {
			selected = append(selected, m)
		}
	}
	return selected, how, nil
}

func measureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// bench runs the measures in a new cluster, prints the table and writes the results.
func bench(ctx context.Context, what string, selected []measure, how plan, bin, profiles, out string) (err error) {
	begin := time.Now()
	b, err := newBed(ctx, how, bin, profiles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	results := &Results{Command: invocation(what), Started: begin.UTC().Truncate(time.Second), Short: how == shortPlan}
	if results.Machine, err = machineFacts(b.cluster.Dir()); err != nil {
		return err
	}
	if results.Versions, err = b.versions(); err != nil {
		return err
	}
	printMachine(os.Stdout, results)
	var failures []error
	for _, m := range selected {
		started := time.Now()
		b.profiler.measure = m.name
		rows, err := m.run(ctx, b)
		err = errors.Join(err, b.profileHeaps(ctx))
		if ctx.Err() != nil {
			// An interrupted run prints its results but does not write them.
			printTable(os.Stdout, results)
			return context.Cause(ctx)
		}
		if err != nil {
			// The other measures do not depend on the failed one.
			failures = append(failures, fmt.Errorf("measure %s: %w", m.name, err))
			rows = append(rows, Row{Measure: m.name, Problem: err.Error()})
		}
		for i := range rows {
			rows[i].judge()
		}
		results.Rows = append(results.Rows, rows...)
		b.say("%-10s %5.1f s", m.name, time.Since(started).Seconds())
	}
	results.Seconds = time.Since(begin).Truncate(time.Second).Seconds()
	printTable(os.Stdout, results)
	if err := results.write(out); err != nil {
		return err
	}
	b.say("\nThe results are in %s.", out)
	return errors.Join(failures...)
}

// invocation returns the command for such a run.
func invocation(what string) string {
	if what == "" {
		return "make bench"
	}
	return "make bench BENCH=" + what
}
