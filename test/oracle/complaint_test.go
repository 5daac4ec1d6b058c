// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/crdify/pkg/validations"
	"sigs.k8s.io/crdify/pkg/validators/version"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// complaint is one error of another tool.
type complaint struct {
	// check is the tool's name of the check.
	check string
	// version is a version, a pair "v1→v2", or empty if the complaint is about the entire CRD.
	version string
	// path is the path within the schema in the notation of pkg/engine/crd. It is empty at the
	// root, and if the complaint is about no schema.
	path string
	// parent reports that the cause may also be below the path: crdify names the node around a
	// condition or a map.
	parent bool
	text   string
}

// complaintsOf converts crdify's results. Two of its checks contain the place only in their text.
func complaintsOf(results *runner.Results, paths map[string]string) []complaint {
	var all []complaint
	for _, result := range results.CRDValidation {
		for _, text := range result.Errors {
			found := complaint{check: result.Name, text: text}
			if place, ok := strings.CutPrefix(text, "removed field : "); ok {
				name, path, _ := strings.Cut(place, ".")
				found.version, found.path, found.parent = name, paths[path], condition.MatchString(path)
			}
			all = append(all, found)
		}
	}
	for _, result := range append(slices.Clone(results.SameVersionValidation), results.ServedVersionValidation...) {
		all = append(all, complaintsOfVersion(result, paths)...)
	}
	slices.SortFunc(all, func(a, b complaint) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func complaintsOfVersion(result version.VersionedPropertyComparisonResult, paths map[string]string) []complaint {
	var all []complaint
	for _, property := range result.PropertyComparisons {
		for _, comparison := range property.ComparisonResults {
			for _, text := range comparison.Errors {
				all = append(all, complaint{
					check: comparison.Name, version: strings.ReplaceAll(result.Version, " -> ", "→"), path: paths[property.Property],
					parent: comparison.Name == "unhandled" || condition.MatchString(property.Property), text: text,
				})
			}
		}
	}
	return all
}

// condition matches a short path that ends in a condition.
var condition = regexp.MustCompile(`\.(?:(?:allOf|anyOf|oneOf)\[\d+\]|not)$`)

// step matches one step of a path through the keywords of a schema.
var step = regexp.MustCompile(`^\.(?:properties\[([^\]]*)\]|(items)|(additionalProperties)\.schema|(?:allOf|anyOf|oneOf)\[\d+\]|not)`)

// pathsOf maps crdify's short paths, in which a property named items looks like the items of a
// list, to those of pkg/engine/crd.
func pathsOf(definitions ...*definition) map[string]string {
	paths := map[string]string{}
	remember := func(_ *apiextensionsv1.JSONSchemaProps, long, short *field.Path, _ []*apiextensionsv1.JSONSchemaProps) bool {
		path := ""
		for rest := strings.TrimPrefix(long.String(), "^"); rest != ""; {
			found := step.FindStringSubmatch(rest)
			if found == nil {
				panic("crdify has a new kind of path: " + long.String())
			}
			rest = rest[len(found[0]):]
			switch {
			case found[1] != "":
				path += "." + found[1]
			case found[2] != "":
				path += "[*]"
			case found[3] != "":
				path += ".*"
			}
		}
		paths[short.String()] = path
		return false
	}
	for _, one := range definitions {
		for _, version := range one.Spec.Versions {
			if version.Schema != nil {
				validations.SchemaHas(version.Schema.OpenAPIV3Schema, field.NewPath("^"), field.NewPath("^"), nil, remember)
			}
		}
	}
	return paths
}

// covered reports whether a breaking finding matches: in the same version, or in one of the pair,
// and at the path, or above it but below the root.
func (c complaint) covered(findings []rules.Finding) bool {
	return slices.ContainsFunc(findings, func(finding rules.Finding) bool {
		return finding.Verdict.Breaks() && c.sameVersion(finding.Version) && c.samePath(finding.Path)
	})
}

func (c complaint) sameVersion(version string) bool {
	if c.version == "" || version == "" {
		return true
	}
	mine, theirs := strings.Split(c.version, "→"), strings.Split(version, "→")
	return !slices.ContainsFunc(theirs, func(name string) bool { return !slices.Contains(mine, name) })
}

func (c complaint) samePath(path string) bool {
	switch {
	case c.version == "":
		return true // the complaint is not about a schema
	case path == ".":
		return c.path == ""
	case c.check == "required":
		// The complaint names the parent and lists the fields; a finding names one of the fields.
		name, direct := strings.CutPrefix(path, c.path+".")
		return path == c.path || direct && strings.Contains(c.text, name)
	}
	return path != "" && (within(c.path, path) || c.parent && within(path, c.path))
}

// within reports whether path is other, or below it.
func within(path, other string) bool {
	rest, below := strings.CutPrefix(path, other)
	return below && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func (c complaint) String() string {
	text, _, more := strings.Cut(c.text, "\n")
	if more {
		text += " …"
	}
	return strings.Join([]string{c.check, c.version, c.path, text}, " | ")
}
