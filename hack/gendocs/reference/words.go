// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	placeholder = regexp.MustCompile(`<(\w+)>`)
	packageDoc  = regexp.MustCompile(`^Package \S+ is `)
)

// cell escapes text for one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(plain(text))
}

// plain escapes text that looks like an HTML tag.
func plain(text string) string { return placeholder.ReplaceAllString(text, "&lt;$1&gt;") }

// code formats each word as code.
func code(words []string) string {
	marked := make([]string, len(words))
	for i, word := range words {
		marked[i] = "`" + word + "`"
	}
	return strings.Join(marked, ", ")
}

// columns returns the headings that kubectl prints, without those that every kind has. With wide it
// returns those of "-o wide" only.
func columns(all []metav1.TableColumnDefinition, wide bool) string {
	var names []string
	for _, column := range all {
		if (column.Priority > 0) == wide && column.Name != "Name" && column.Name != "Age" {
			names = append(names, strings.ToUpper(column.Name))
		}
	}
	return strings.Join(names, ", ")
}

// sentence returns the comment of a package without its beginning.
func sentence(doc string) string {
	text := packageDoc.ReplaceAllString(doc, "")
	return strings.ToUpper(text[:1]) + text[1:]
}
