// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// rulesFolder holds one page for each rule of CRD compatibility, and an index.
const rulesFolder = "docs/crd-rules"

var (
	//go:embed crd-rule.md.tmpl
	ruleSource string
	//go:embed crd-rules.md.tmpl
	rulesSource string
)

// series is a group of rules whose ids begin alike.
type series struct {
	Prefix, Title string
	Rules         []rules.Rule
}

// allSeries names the groups in the order of the index.
func allSeries() []series {
	return []series{
		{Prefix: "0", Title: "Nothing"},
		{Prefix: "1", Title: "Fields and required fields"},
		{Prefix: "2", Title: "Types"},
		{Prefix: "3", Title: "Enums"},
		{Prefix: "4", Title: "Lengths, sizes and ranges"},
		{Prefix: "5", Title: "Patterns and formats"},
		{Prefix: "6", Title: "Defaults"},
		{Prefix: "7", Title: "Null"},
		{Prefix: "8", Title: "Unknown fields and embedded resources"},
		{Prefix: "9", Title: "How lists and maps are merged and owned"},
		{Prefix: "A", Title: "CEL rules"},
		{Prefix: "B", Title: "allOf, anyOf, oneOf and not"},
		{Prefix: "C", Title: "Words for people"},
		{Prefix: "D", Title: "Names, scope, subresources and columns"},
		{Prefix: "E", Title: "Versions, storage and conversion"},
		{Prefix: "R", Title: "What is not forgiven stored objects"},
		{Prefix: "S", Title: "Bundles, charts and clusters"},
		{Prefix: "L", Title: "Live objects"},
		{Prefix: "X", Title: "Refused for other reasons"},
	}
}

// bySeries puts every rule into its group.
func bySeries() ([]series, error) {
	all := allSeries()
	for _, rule := range rules.All {
		at := slices.IndexFunc(all, func(s series) bool { return strings.HasPrefix(rule.ID, s.Prefix) })
		if at < 0 {
			return nil, fmt.Errorf("rule %s is of no series: add it to allSeries", rule.ID)
		}
		all[at].Rules = append(all[at].Rules, rule)
	}
	return all, nil
}

// renderRules returns the pages of all rules and their index, by path.
func renderRules() (map[string][]byte, error) {
	functions := template.FuncMap{
		"cell": cell, "verdict": verdictOf, "where": where, "effects": effects, "hits": hits, "example": example, "links": links,
	}
	page, err := template.New("crd-rule").Funcs(functions).Parse(ruleSource)
	if err != nil {
		return nil, err
	}
	index, err := template.New("crd-rules").Funcs(functions).Parse(rulesSource)
	if err != nil {
		return nil, err
	}
	groups, err := bySeries()
	if err != nil {
		return nil, err
	}
	pages := map[string][]byte{}
	for _, rule := range rules.All {
		var out bytes.Buffer
		if err := page.Execute(&out, rule); err != nil {
			return nil, fmt.Errorf("rule %s: %w", rule.ID, err)
		}
		pages[path.Join(rulesFolder, rule.Code()+".md")] = out.Bytes()
	}
	var out bytes.Buffer
	if err := index.Execute(&out, groups); err != nil {
		return nil, fmt.Errorf("crd-rules.md.tmpl: %w", err)
	}
	pages[path.Join(rulesFolder, "README.md")] = out.Bytes()
	return pages, nil
}

// verdictOf is the verdict as in the table; with a question mark where proof may make it milder.
func verdictOf(rule rules.Rule) string {
	if rule.Provable {
		return string(rule.Verdict) + "?"
	}
	return string(rule.Verdict)
}

// example is the difference between both sides in block style; where they mean the same, both as they are written.
func example(rule rules.Rule) (string, error) {
	var sides [2]string
	for i, text := range []string{rule.Old, rule.New} {
		var value any
		if err := yaml.UnmarshalStrict([]byte(text), &value); err != nil {
			return "", err
		}
		block, err := yaml.Marshal(value)
		if err != nil {
			return "", err
		}
		sides[i] = string(block)
	}
	if sides[0] == sides[1] && rule.Old != rule.New {
		return "-" + rule.Old + "\n+" + rule.New + "\n", nil
	}
	if sides[0] == sides[1] {
		return indent(sides[0]), nil
	}
	unified, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(strings.TrimSuffix(sides[0], "\n")), B: difflib.SplitLines(strings.TrimSuffix(sides[1], "\n")), Context: 1000,
	})
	if err != nil {
		return "", err
	}
	_, body, found := strings.Cut(unified, "@@\n") // After the header, which counts lines.
	if !found {
		return "", fmt.Errorf("no difference in the example: %q", unified)
	}
	return body, nil
}

// indent is an example without a difference, with the column that says so.
func indent(text string) string {
	return " " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n ") + "\n"
}
