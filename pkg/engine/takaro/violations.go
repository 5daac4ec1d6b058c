// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// violation is one entry of a ValidationError's details, in the form of class-validator (property, constraints,
// children) or, for pagination, yup (path, errors). Both also contain the rejected values, which are not decoded.
type violation struct {
	Property    string            `json:"property"`
	Constraints map[string]string `json:"constraints"`
	Children    []violation       `json:"children"`
	Path        string            `json:"path"`
	Errors      []string          `json:"errors"`
}

const maxViolations = 8

// violations returns "name: must be longer than …; filters.email: …" from the details of a ValidationError.
func violations(details json.RawMessage) string {
	var list []violation
	if json.Unmarshal(details, &list) != nil {
		return "the request was rejected"
	}
	var texts []string
	for _, v := range list {
		texts = v.collect("", texts)
	}
	if len(texts) > maxViolations {
		texts = append(texts[:maxViolations], "…")
	}
	if len(texts) == 0 {
		return "the request was rejected"
	}
	return strings.Join(texts, "; ")
}

func (v violation) collect(prefix string, texts []string) []string {
	name := prefix + v.Property + v.Path
	rules := v.Errors
	for _, rule := range slices.Sorted(maps.Keys(v.Constraints)) {
		rules = append(rules, v.Constraints[rule])
	}
	if len(rules) > 0 {
		texts = append(texts, name+": "+strings.Join(rules, ", "))
	}
	for _, child := range v.Children {
		texts = child.collect(name+".", texts)
	}
	return texts
}
