// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

// chartPage is the generated page of the chart's values, and valuesFile its source.
var (
	chartPage  = filepath.Join("docs", "helm-chart.md")
	valuesFile = filepath.Join("artifacts", "chart", "roadstead", "values.yaml")
)

//go:embed helm-chart.md.tmpl
var chartSource string

// valueSection is one table of values: those below one key.
type valueSection struct {
	Title  string
	Values []valueRow
}

// valueRow is one value, formatted for table cells.
type valueRow struct {
	Name, Default, Meaning string
}

// renderChart returns the page of the values of the Helm chart.
func renderChart(root string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(root, valuesFile))
	if err != nil {
		return nil, err
	}
	sections, err := valueSections(content)
	if err != nil {
		return nil, fmt.Errorf("values.yaml: %w", err)
	}
	parsed, err := template.New("helm-chart").Parse(chartSource)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, sections); err != nil {
		return nil, fmt.Errorf("helm-chart.md.tmpl: %w", err)
	}
	return out.Bytes(), nil
}

// valueSections parses the values and their comments. The comment of a value begins with "--"; a
// key without such a comment contains further values.
func valueSections(content []byte) ([]valueSection, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("it is no object")
	}
	top := document.Content[0].Content
	var sections []valueSection
	for i := 0; i < len(top); i += 2 {
		rows, err := valueRows("", top[i], top[i+1])
		if err != nil {
			return nil, err
		}
		if meaningOf(top[i]) != "" && len(sections) > 0 { // a top-level value belongs to the section before it
			sections[len(sections)-1].Values = append(sections[len(sections)-1].Values, rows...)
			continue
		}
		sections = append(sections, valueSection{Title: top[i].Value, Values: rows})
	}
	return sections, nil
}

func valueRows(parent string, key, value *yaml.Node) ([]valueRow, error) {
	name := parent + key.Value
	if meaning := meaningOf(key); meaning != "" {
		given, err := defaultValue(value)
		return []valueRow{{Name: "`" + name + "`", Default: given, Meaning: linked(meaning)}}, err
	}
	if value.Kind != yaml.MappingNode || len(value.Content) == 0 {
		return nil, fmt.Errorf("%s has no comment that begins with \"# --\" and says what it is for", name)
	}
	var rows []valueRow
	for i := 0; i < len(value.Content); i += 2 {
		further, err := valueRows(name+".", value.Content[i], value.Content[i+1])
		if err != nil {
			return nil, err
		}
		rows = append(rows, further...)
	}
	return rows, nil
}

// meaningOf returns the text of the comment above a key, or "" if no comment begins with "--".
func meaningOf(key *yaml.Node) string {
	_, meaning, _ := strings.Cut(key.HeadComment, "# -- ")
	return strings.Join(strings.Fields(strings.ReplaceAll(meaning, "\n#", " ")), " ")
}

// defaultValue returns the shipped value in one line, "" for an empty string.
func defaultValue(value *yaml.Node) (string, error) {
	var given any
	if err := value.Decode(&given); err != nil {
		return "", err
	}
	if text, ok := given.(string); ok {
		if text == "" {
			return "", nil
		}
		return "`" + text + "`", nil
	}
	asJSON, err := json.Marshal(given)
	return "`" + string(asJSON) + "`", err
}

var pageName = regexp.MustCompile(`docs/([a-z-]+\.md)((?:#[a-z-]+)?)`)

// linked turns the pages that a comment names into links, and escapes the text for a table cell.
func linked(text string) string {
	return strings.ReplaceAll(pageName.ReplaceAllString(text, "[$1]($1$2)"), "|", `\|`)
}
