// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the template of the block
	"flag"
	"fmt"
	"os"
	"strings"
	"text/template"
)

// The marks around the part of the page that is generated from results.json. The rest of the page
// is written by hand.
const (
	beginMark = "<!-- Written by test/bench from test/bench/results.json: go run ./test/bench page -->"
	endMark   = "<!-- End of what is written by test/bench. -->"
)

//go:embed page.md.tmpl
var pageText string

// cell escapes characters with a meaning in a Markdown table.
var cell = strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "\n", " ").Replace

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"cell": cell}).Parse(pageText))

// pageCommand writes the table of the results into the page.
func pageCommand(args []string) error {
	flags := flag.NewFlagSet("page", flag.ContinueOnError)
	in := flags.String("results", resultsFile, "File of the results.")
	path := flags.String("page", pageFile, "The page.")
	if err := flags.Parse(args); err != nil {
		return err
	}
	results, err := readResults(*in)
	if err != nil {
		return err
	}
	if results == nil {
		return fmt.Errorf("%s is not there: run make bench", *in)
	}
	text, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	written, err := rewritten(string(text), results)
	if err != nil {
		return fmt.Errorf("%s: %w", *path, err)
	}
	return os.WriteFile(*path, []byte(written), 0o644)
}

// rewritten returns the page with the block of these results.
func rewritten(page string, results *Results) (string, error) {
	before, rest, found := strings.Cut(page, beginMark)
	if !found {
		return "", fmt.Errorf("has no line %q", beginMark)
	}
	_, after, found := strings.Cut(rest, endMark)
	if !found {
		return "", fmt.Errorf("has no line %q", endMark)
	}
	block, err := render(results)
	return before + beginMark + "\n" + block + endMark + after, err
}

// line is a row of the Markdown table.
type line struct {
	Row
	Ours, CRD, Ratio, Goal, Holds string
}

func render(results *Results) (string, error) {
	view := struct {
		*Results
		Facts, Programs string
		Lines           []line
		Notes           []Row
	}{Results: results, Facts: results.facts(), Programs: results.programs()}
	for _, row := range results.Rows {
		c := row.cells()
		view.Lines = append(view.Lines, line{Row: row, Ours: c.ours, CRD: c.crd, Ratio: c.ratio, Goal: c.goal, Holds: c.holds})
		if row.Note != "" {
			view.Notes = append(view.Notes, row)
		}
	}
	var out strings.Builder
	err := pageTemplate.Execute(&out, view)
	return out.String(), err
}
