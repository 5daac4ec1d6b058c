// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Texts of the API server's validation, verbatim, for errors whose type and field do not identify the rule.
const (
	contributes    = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	tooCostly      = "exceeds budget by factor of"
	immutable      = "field is immutable"
	missingVersion = "missing from spec.versions"
	keyOfMapList   = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
	keyUnknown     = "entries must all be names of item properties"
	noSuchPath     = "is an invalid path"
)

// refusal is one error of the API server's validation.
type refusal struct {
	at rules.Place
	// keyword is the rest of the server's field path below a schema node; empty for errors outside of schemas.
	keyword string
	kind    field.ErrorType
	detail  string
	// value is the rejected value, if it is short.
	value any
}

// refusalKey identifies a refusal independent of the position of its version in the list of versions.
type refusalKey struct {
	at      rules.Place
	keyword string
	kind    field.ErrorType
	detail  string
}

// keys returns the keys of the refusal, one for each version that it concerns.
func (r refusal) keys(definition *apiextensionsv1.CustomResourceDefinition) []refusalKey {
	key := refusalKey{at: r.at, keyword: r.keyword, kind: r.kind, detail: r.detail}
	ofVersions := r.at.Path == "" || strings.ContainsAny(r.at.Path[:1], ".[") || strings.HasPrefix(r.at.Path, "spec.versions[*]")
	if r.at.Version != "" || !ofVersions {
		return []refusalKey{key}
	}
	keys := make([]refusalKey, 0, len(definition.Spec.Versions))
	for _, version := range definition.Spec.Versions {
		key.at.Version = version.Name
		keys = append(keys, key)
	}
	return keys
}

// ruleOf returns the ID of the rule that a refusal is an instance of.
func (c *comparison) ruleOf(r refusal) string {
	switch r.at.Path {
	case "spec.scope", "spec.group", "spec.names.kind", "spec.names.plural":
		if r.detail == immutable {
			return map[string]string{"spec.scope": "D01", "spec.group": "D02", "spec.names.kind": "D03", "spec.names.plural": "D05"}[r.at.Path]
		}
	case "status.storedVersions":
		if strings.HasPrefix(r.detail, missingVersion) {
			return c.ruleOfMissing(r.at.Version)
		}
	}
	switch {
	case strings.Contains(r.detail, tooCostly):
		return "A10"
	case strings.HasPrefix(r.at.Path, "spec.versions[*].selectableFields") && strings.HasPrefix(r.detail, noSuchPath):
		return "D16"
	case r.at.Path == wholeSchema && r.kind == field.ErrorTypeRequired:
		return "E15"
	}
	return r.ruleOfSchema()
}

// ruleOfMissing returns the rule for a stored version that was removed.
func (c *comparison) ruleOfMissing(name string) string {
	for _, version := range c.Old.Spec.Versions {
		if version.Name == name && version.Storage {
			return "E03"
		}
	}
	return "E02"
}

// ruleOfSchema returns the rule for a refusal at a schema node.
func (r refusal) ruleOfSchema() string {
	keyword, _, _ := strings.Cut(r.keyword, ".")
	switch {
	case keyword == "uniqueItems":
		return "417"
	case r.detail == keyOfMapList, keyword == "x-kubernetes-list-map-keys" && r.detail == keyUnknown:
		return "908"
	// A default where no default is allowed is forbidden, not invalid.
	case keyword == "default" && r.kind != field.ErrorTypeForbidden:
		return "608"
	case strings.HasPrefix(keyword, "x-kubernetes-validations[") && r.kind == field.ErrorTypeInvalid &&
		(strings.HasSuffix(r.keyword, ".rule") || strings.HasSuffix(r.keyword, ".messageExpression")):
		return "X02"
	}
	return "X01"
}

// message returns the server's error as a sentence.
func (r refusal) message() string {
	subject := r.keyword
	if subject == "" {
		subject = "this"
		if r.at.Path != "" {
			subject = r.at.Path
		}
	}
	if r.at.Path == wholeSchema {
		subject = "the schema of version " + r.at.Version
		if r.at.Version == "" {
			subject = "the schema of all versions"
		}
	}
	detail := oneLine(r.detail)
	complaint := saying[r.kind]
	if strings.Contains(r.detail, tooCostly) {
		complaint = "is too costly"
	}
	if detail == "" {
		return fmt.Sprintf("the API server rejects the CRD: %s %s", subject, complaint)
	}
	return fmt.Sprintf("the API server rejects the CRD: %s %s: %s", subject, complaint, strings.TrimSuffix(detail, "."))
}

var saying = map[field.ErrorType]string{
	field.ErrorTypeNotFound:     "refers to something that does not exist",
	field.ErrorTypeRequired:     "is missing",
	field.ErrorTypeDuplicate:    "is a duplicate",
	field.ErrorTypeInvalid:      "is not valid",
	field.ErrorTypeTypeInvalid:  "has the wrong type",
	field.ErrorTypeNotSupported: "is not one of the supported values",
	field.ErrorTypeForbidden:    "is not allowed",
	field.ErrorTypeTooLong:      "is too long",
	field.ErrorTypeTooMany:      "has too many entries",
	field.ErrorTypeInternal:     "cannot be validated",
}

// oneLine removes the drawings by which the CEL compiler points at the position of an error.
func oneLine(detail string) string {
	var lines []string
	for line := range strings.Lines(detail) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "|") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// shortValue returns a rejected value, unless it is an entire schema.
func shortValue(value any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case string, bool, int, int64, float64, []string:
		return value
	case *string:
		if value != nil {
			return *value
		}
	case *bool:
		if value != nil {
			return *value
		}
	case apiextensions.ValidationRule:
		return value.Rule
	case map[string]any, []any:
		return value
	}
	if kind := reflect.ValueOf(value); kind.Kind() == reflect.String {
		return kind.String()
	}
	return nil
}
