// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// step is one part of a field path of the API server, such as properties[spec] or items.
type step struct{ name, index string }

// stepsOf splits a field path. Names of properties may contain dots and brackets: an index ends where the path continues.
func stepsOf(path string) []step {
	var steps []step
	for path != "" {
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(steps, step{name: path})
		}
		next := step{name: path[:end]}
		if path[end] == '[' {
			path = path[end+1:]
			end = endOfIndex(path)
			next.index = path[:end]
			path = strings.TrimPrefix(path[min(end+1, len(path)):], ".")
		} else {
			path = path[end+1:]
		}
		steps = append(steps, next)
	}
	return steps
}

func endOfIndex(path string) int {
	for i := range len(path) {
		if path[i] == ']' && (i+1 == len(path) || path[i+1] == '.' || path[i+1] == '[') {
			return i
		}
	}
	return len(path)
}

// placeOf returns the place in a CRD that a field path of the server's validation refers to, and the
// rest of the path below a schema node. The server validates its internal version, in which fields
// that are equal in all versions appear only once.
func placeOf(path string, definition *apiextensionsv1.CustomResourceDefinition) (at rules.Place, keyword string) {
	steps := stepsOf(path)
	switch {
	case len(steps) >= 2 && steps[0].name == "spec" && steps[1].name == "validation":
		return schemaPlace(theOnly(definition), steps[2:])
	case len(steps) >= 4 && steps[0].name == "spec" && steps[1].name == "versions" && steps[2].name == "schema":
		return schemaPlace(versionAt(definition, steps[1].index), steps[3:])
	case len(steps) >= 3 && steps[0].name == "spec" && steps[1].name == "versions":
		return rules.Place{Version: versionAt(definition, steps[1].index), Path: "spec.versions[*]." + joined(steps[2:])}, ""
	case len(steps) >= 2 && steps[0].name == "spec" && perVersion[steps[1].name]:
		return rules.Place{Version: theOnly(definition), Path: "spec.versions[*]." + joined(steps[1:])}, ""
	case len(steps) >= 2 && steps[0].name == "spec" && steps[1].name == "conversion":
		return rules.Place{Path: conversionPaths.Replace(path)}, ""
	}
	return rules.Place{Path: path}, ""
}

// perVersion are the fields that the internal version can hold once for all versions.
var perVersion = map[string]bool{"subresources": true, "additionalPrinterColumns": true, "selectableFields": true}

var conversionPaths = strings.NewReplacer(
	"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig",
	"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions",
)

// schemaPlace follows a field path into a schema as far as it names nodes. The steps begin with openAPIV3Schema.
func schemaPlace(version string, steps []step) (rules.Place, string) {
	var path strings.Builder
	for i, step := range steps {
		switch step.name {
		case "openAPIV3Schema", "allOf", "anyOf", "oneOf", "not", "definitions", "dependencies":
		case "properties":
			if step.index == "" {
				return rules.Place{Version: version, Path: path.String()}, joined(steps[i:])
			}
			path.WriteString("." + step.index)
		case "items":
			path.WriteString("[*]")
		case "additionalProperties":
			path.WriteString(".*")
		default:
			return rules.Place{Version: version, Path: path.String()}, joined(steps[i:])
		}
	}
	if path.Len() == 0 {
		return rules.Place{Version: version, Path: wholeSchema}, ""
	}
	return rules.Place{Version: version, Path: path.String()}, ""
}

// wholeSchema is the place of a refusal that concerns an entire schema.
const wholeSchema = "spec.versions[*].schema.openAPIV3Schema"

func joined(steps []step) string {
	parts := make([]string, len(steps))
	for i, step := range steps {
		parts[i] = strings.Replace(step.name, "JSONPath", "jsonPath", 1)
		if step.index != "" {
			parts[i] += "[" + step.index + "]"
		}
	}
	return strings.Join(parts, ".")
}

// theOnly returns the name of a CRD's only version, or "", which stands for all of several versions.
func theOnly(definition *apiextensionsv1.CustomResourceDefinition) string {
	if len(definition.Spec.Versions) == 1 {
		return definition.Spec.Versions[0].Name
	}
	return ""
}

func versionAt(definition *apiextensionsv1.CustomResourceDefinition, index string) string {
	if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(definition.Spec.Versions) {
		return definition.Spec.Versions[i].Name
	}
	return ""
}
