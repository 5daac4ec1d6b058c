// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// docsURL is the address of the documentation of the rules, which is docs/rules in this repository.
const docsURL = "https://roadstead.dev/docs/rules/"

// indexPage is the page that lists all rules.
const indexPage = "README.md"

// Family is a group of related rules, which share a page of the documentation.
type Family struct {
	// Page is the file name of the page in docs/rules.
	Page string
	// Title is the heading of the page.
	Title string
	// About is the introduction of the page, in one or two sentences.
	About string

	// series are the first characters of the IDs of its rules.
	series string
}

// Families are all families, in the order of the index. Every rule belongs to exactly one of them.
var Families = []Family{
	{series: "1", Page: "fields.md", Title: "Fields and required fields",
		About: "These rules cover fields that are added, removed, renamed or moved, and fields that become required or optional."},
	{series: "2", Page: "types.md", Title: "Types",
		About: "These rules cover fields whose type changes."},
	{series: "3", Page: "enums.md", Title: "Enums",
		About: "These rules cover lists of allowed values."},
	{series: "4", Page: "limits.md", Title: "Lengths, sizes and ranges",
		About: "These rules cover limits of strings, numbers, lists and maps."},
	{series: "5", Page: "formats.md", Title: "Patterns and formats",
		About: "These rules cover `pattern` and `format` of string and integer fields."},
	{series: "6", Page: "defaults.md", Title: "Defaults",
		About: "These rules cover `default`. The API server applies defaults to every request, and to every object that it reads from etcd."},
	{series: "7", Page: "nullable.md", Title: "Nullable fields",
		About: "These rules cover `nullable`. The API server drops a null from a field that is not nullable, or replaces it with the default."},
	{series: "8", Page: "unknown-fields.md", Title: "Unknown fields and embedded resources",
		About: "These rules cover `x-kubernetes-preserve-unknown-fields`, `x-kubernetes-embedded-resource` and the schema of embedded metadata."},
	{series: "9", Page: "list-and-map-types.md", Title: "List and map types",
		About: "These rules cover `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`, which determine how " +
			"server-side apply merges lists and maps."},
	{series: "AR", Page: "validation-rules.md", Title: "CEL validation rules and ratcheting",
		About: "These rules cover `x-kubernetes-validations`, and constraints that validation ratcheting does not cover. Ratcheting is a " +
			"feature of the API server: an update may keep an invalid value that it does not change."},
	{series: "B", Page: "junctors.md", Title: "allOf, anyOf, oneOf and not",
		About: "These rules cover logical junctors of schemas."},
	{series: "0CD", Page: "names.md", Title: "Names, scope, subresources and descriptions",
		About: "These rules cover the parts of a CRD that validate no values: names, scope, subresources, printer columns and descriptions."},
	{series: "E", Page: "versions.md", Title: "Versions, storage and conversion",
		About: "These rules cover versions that are added, removed, served or stored, and the conversion between them."},
	{series: "S", Page: "bundles.md", Title: "Bundles, charts and clusters",
		About: "These rules cover sets of CRDs, such as a folder or a Helm chart, and the clusters in which they are installed."},
	{series: "L", Page: "live-objects.md", Title: "Live objects",
		About: "These rules cover objects that are stored in a cluster. Their findings name the objects."},
	{series: "X", Page: "rejected.md", Title: "CRDs that the API server rejects",
		About: "These rules cover CRDs that fail the validation of the API server for a reason that no other rule covers."},
}

// Family returns the family of the rule; it is empty if no family has the series of the rule.
func (r Rule) Family() Family {
	for _, family := range Families {
		if r.ID != "" && strings.Contains(family.series, r.ID[:1]) {
			return family
		}
	}
	return Family{}
}

// Rules returns the rules of the family, by ID.
func (f Family) Rules() []Rule {
	var found []Rule
	for _, rule := range All {
		if rule.Family().Page == f.Page {
			found = append(found, rule)
		}
	}
	return found
}

// Anchor returns the anchor of the rule on the page of its family, such as crd-101.
func (r Rule) Anchor() string { return strings.ToLower(r.Code()) }

// DocsURL returns the address of the documentation of a rule, by its code. For a code that is not in the table, it returns
// the address of the index.
func DocsURL(code string) string {
	rule, err := ByCode(code)
	if err != nil {
		return docsURL + indexPage
	}
	return docsURL + rule.Family().Page + "#" + rule.Anchor()
}
