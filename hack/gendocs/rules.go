// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"path"
	"strings"
	"text/template"

	"github.com/pmezard/go-difflib/difflib"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// rulesFolder contains one page for each family of rules of CRD compatibility, and an index.
const rulesFolder = "docs/rules"

var (
	//go:embed crd-family.md.tmpl
	familySource string
	//go:embed crd-rules.md.tmpl
	rulesSource string
)

// renderRules returns the pages of all families of rules and their index, by path.
func renderRules() (map[string][]byte, error) {
	functions := template.FuncMap{
		"cell": cell, "verdict": verdictOf, "where": where, "effects": effects, "hits": hits, "example": example, "links": links,
		"plain": plain.Replace, "describe": describe, "allow": allow,
	}
	page, err := template.New("crd-family").Funcs(functions).Parse(familySource)
	if err != nil {
		return nil, err
	}
	index, err := template.New("crd-rules").Funcs(functions).Parse(rulesSource)
	if err != nil {
		return nil, err
	}
	pages := map[string][]byte{}
	for _, family := range rules.Families {
		var out bytes.Buffer
		if err := page.Execute(&out, family); err != nil {
			return nil, fmt.Errorf("crd-family.md.tmpl: %s: %w", family.Page, err)
		}
		pages[path.Join(rulesFolder, family.Page)] = out.Bytes()
	}
	var out bytes.Buffer
	if err := index.Execute(&out, rules.Families); err != nil {
		return nil, fmt.Errorf("crd-rules.md.tmpl: %w", err)
	}
	pages[path.Join(rulesFolder, "README.md")] = out.Bytes()
	return pages, nil
}

// verdictOf returns the verdict for a table. A question mark means that a finding may have a milder verdict.
func verdictOf(rule rules.Rule) string {
	if rule.Provable {
		return string(rule.Verdict) + "?"
	}
	return string(rule.Verdict)
}

// example returns the difference between the old and the new schema, in block style. If both have the same meaning, it returns
// both as they are written.
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
	_, body, found := strings.Cut(unified, "@@\n") // The header has line numbers.
	if !found {
		return "", fmt.Errorf("example has no difference: %q", unified)
	}
	return body, nil
}

// indent returns an example without a difference in the form of a diff.
func indent(text string) string {
	return " " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n ") + "\n"
}
