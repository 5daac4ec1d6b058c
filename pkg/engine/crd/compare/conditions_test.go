// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// definition returns a CustomResourceDefinition with one version whose .spec has the schema.
func definition(t *testing.T, spec string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	old, _ := publishedPair(t, "000")
	var schema apiextensionsv1.JSONSchemaProps
	require.NoError(t, yaml.UnmarshalStrict([]byte(spec), &schema))
	old.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = schema
	return old
}

type change struct {
	name, old, new string
	verdict        rules.Verdict
	code           string
}

func (c change) require(t *testing.T) {
	t.Helper()
	report := Compare(definition(t, c.old), definition(t, c.new), Options{})
	requireVerdict(t, c.verdict, report)
	if c.code == "" {
		require.Empty(t, report.Findings)
		return
	}
	codes := make([]string, 0, len(report.Findings))
	for _, finding := range report.Findings {
		codes = append(codes, finding.Code)
	}
	require.Contains(t, codes, "CRD-"+c.code)
}

func TestConditionsInsideConditions(t *testing.T) {
	for _, tc := range []change{
		{"enum narrowed in allOf", `{type: object, properties: {f: {type: string, allOf: [{enum: [a, b]}]}}}`,
			`{type: object, properties: {f: {type: string, allOf: [{enum: [a]}]}}}`, rules.Breaking, "B10"},
		{"enum moved out of allOf", `{type: object, properties: {f: {type: string, allOf: [{enum: [a, b]}]}}}`,
			`{type: object, properties: {f: {type: string, enum: [b, a]}}}`, rules.Informational, ""},
		{"two allOf merged into one node", `{type: object, properties: {f: {type: integer, allOf: [{minimum: 1}, {maximum: 9}]}}}`,
			`{type: object, properties: {f: {type: integer, minimum: 1, maximum: 9}}}`, rules.Informational, ""},
		{"bound tightened in allOf", `{type: object, properties: {f: {type: integer, allOf: [{maximum: 9}]}}}`,
			`{type: object, properties: {f: {type: integer, allOf: [{maximum: 8}]}}}`, rules.Breaking, "408"},
		{"bound tightened in allOf, while the direct one is tighter",
			`{type: object, properties: {f: {type: integer, maximum: 5, allOf: [{maximum: 9}]}}}`,
			`{type: object, properties: {f: {type: integer, maximum: 5, allOf: [{maximum: 8}]}}}`, rules.Informational, ""},
		{"property's bound in an allOf of the parent",
			`{type: object, properties: {f: {type: integer}}, allOf: [{properties: {f: {maximum: 9}}}]}`,
			`{type: object, properties: {f: {type: integer}}, allOf: [{properties: {f: {maximum: 8}}}]}`, rules.Breaking, "408"},
		{"required in allOf", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string}}, allOf: [{required: [f]}]}`, rules.Breaking, "105"},
		{"pattern tightened in one branch of anyOf",
			`{type: object, properties: {f: {type: string, anyOf: [{pattern: '^a+$'}, {pattern: '^[0-9]+$'}]}}}`,
			`{type: object, properties: {f: {type: string, anyOf: [{pattern: '^a+$'}, {pattern: '^[1-9]+$'}]}}}`, rules.Breaking, "B04"},
		{"pattern loosened in one branch of anyOf",
			`{type: object, properties: {f: {type: string, anyOf: [{pattern: '^a+$'}, {pattern: '^[1-9]+$'}]}}}`,
			`{type: object, properties: {f: {type: string, anyOf: [{pattern: '^a+$'}, {pattern: '^[0-9]+$'}]}}}`, rules.Safe, "B05"},
		{"branches of anyOf in another order", `{type: object, properties: {f: {type: string, anyOf: [{enum: [a]}, {maxLength: 3}]}}}`,
			`{type: object, properties: {f: {type: string, anyOf: [{maxLength: 3}, {enum: [a]}]}}}`, rules.Informational, ""},
		{"removed branch of anyOf that another one covers",
			`{type: object, properties: {f: {type: string, anyOf: [{enum: [abc]}, {maxLength: 3}, {pattern: '^x'}]}}}`,
			`{type: object, properties: {f: {type: string, anyOf: [{pattern: '^x'}, {maxLength: 3}]}}}`, rules.Informational, ""},
		{"anyOf added that every value satisfies", `{type: object, properties: {f: {type: string, maxLength: 3}}}`,
			`{type: object, properties: {f: {type: string, maxLength: 3, anyOf: [{maxLength: 5}, {pattern: '^x'}]}}}`, rules.Informational, ""},
		{"anyOf added", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string, anyOf: [{maxLength: 5}, {pattern: '^x'}]}}}`, rules.Breaking, "B04"},
		{"body of not grown", `{type: object, properties: {f: {type: string, not: {pattern: '^a$'}}}}`,
			`{type: object, properties: {f: {type: string, not: {pattern: '^[ab]$'}}}}`, rules.Breaking, "B09"},
		{"body of not shrunk", `{type: object, properties: {f: {type: string, not: {pattern: '^[ab]$'}}}}`,
			`{type: object, properties: {f: {type: string, not: {pattern: '^a$'}}}}`, rules.Safe, "B11"},
		{"bound loosened inside not forbids more", `{type: object, properties: {f: {type: integer, not: {minimum: 9}}}}`,
			`{type: object, properties: {f: {type: integer, not: {minimum: 8}}}}`, rules.Breaking, "B09"},
		{"required inside not", `{type: object, properties: {f: {type: string}, g: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, not: {required: [f, g]}}`, rules.Breaking, "B07"},
		{"oneOf added", `{type: object, properties: {f: {type: string}, g: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}`, rules.Breaking, "B01"},
		{"branches of oneOf in another order",
			`{type: object, properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [g]}, {required: [f]}]}`,
			rules.Informational, ""},
		{"enum inside a branch that a boolean covers", `{type: object, properties: {f: {type: boolean}}}`,
			`{type: object, properties: {f: {type: boolean, enum: [true, false]}}}`, rules.Informational, ""},
		{"enum of a boolean narrowed", `{type: object, properties: {f: {type: boolean}}}`,
			`{type: object, properties: {f: {type: boolean, enum: [true]}}}`, rules.Breaking, "303"},
	} {
		t.Run(tc.name, tc.require)
	}
}

func TestCompare_HarmlessChanges(t *testing.T) {
	for _, tc := range []change{
		{"oneOf gets a branch that only a new field satisfies",
			`{type: object, properties: {f: {type: string}, g: {type: string}}, oneOf: [{required: [f]}, {required: [g]}]}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}, h: {type: string}}, oneOf: [{required: [f]}, {required: ` +
				`[g]}, {required: [h]}]}`, rules.Safe, "B03"},
		{"anyOf with one branch that was implied", `{type: object, required: [f], properties: {f: {type: string}}}`,
			`{type: object, required: [f], properties: {f: {type: string}}, anyOf: [{required: [f]}]}`, rules.Informational, ""},
		{"oneOf with one branch that was implied", `{type: object, required: [f], properties: {f: {type: string}}}`,
			`{type: object, required: [f], properties: {f: {type: string}}, oneOf: [{required: [f]}]}`, rules.Informational, ""},
		{"a bound on a new field", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: string, minLength: 1, maxLength: 3, pattern: '^a', enum: [a, ab]}}}`,
			rules.Safe, "120"},
		{"not of a new field", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, not: {required: [f, g]}}`, rules.Safe, "120"},
		{"a condition on a new field in allOf", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: integer}}, allOf: [{properties: {g: {minimum: 1}}}]}`, rules.Safe, "120"},
		{"a CEL rule that only reads new fields", `{type: object, properties: {f: {type: string}}}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, x-kubernetes-validations: [{rule: '!has(self.g) || ` +
				`self.g.size() < 5'}]}`, rules.Safe, "A02"},
		{"a CEL rule that only reads new fields of a list's items",
			`{type: object, properties: {l: {type: array, maxItems: 9, items: {type: object, properties: {f: {type: string}}}}}}`,
			`{type: object, properties: {l: {type: array, maxItems: 9, items: {type: object, properties: {f: {type: string}, g: {type: ` +
				`string, maxLength: 9}}}}}, x-kubernetes-validations: [{rule: '!has(self.l) || self.l.all(x, !has(x.g) || x.g.size() < 5)'}]}`,
			rules.Safe, "A02"},
		{"a CEL rule on a list that only reads new fields of its items",
			`{type: object, properties: {l: {type: array, maxItems: 9, items: {type: object, properties: {f: {type: string}}}}}}`,
			`{type: object, properties: {l: {type: array, maxItems: 9, items: {type: object, properties: {f: {type: string}, g: {type: ` +
				`string, maxLength: 9}}}, x-kubernetes-validations: [{rule: 'self.all(x, !has(x.g) || x.g.size() < 5)'}]}}}`, rules.Safe, "A01"},
		{"a CEL rule that follows from another",
			`{type: object, properties: {f: {type: string, x-kubernetes-validations: [{rule: 'self.size() < 5'}]}}}`,
			`{type: object, properties: {f: {type: string, x-kubernetes-validations: [{rule: 'size(self) < 9'}]}}}`, rules.Safe, "A05"},
		{"a CEL rule gets an alternative", `{type: object, properties: {f: {type: string}, g: {type: string}}, ` +
			`x-kubernetes-validations: [{rule: 'has(self.f)'}]}`,
			`{type: object, properties: {f: {type: string}, g: {type: string}}, x-kubernetes-validations: [{rule: 'has(self.f) || has(self.g)'}]}`,
			rules.Safe, "A05"},
		{"a length that the pattern ensures", `{type: object, properties: {f: {type: string, pattern: '^[a-z]{1,10}$'}}}`,
			`{type: object, properties: {f: {type: string, pattern: '^[a-z]{1,10}$', maxLength: 10, minLength: 1}}}`, rules.Informational, ""},
		{"a minimum that the format ensures", `{type: object, properties: {f: {type: integer, format: int32}}}`,
			`{type: object, properties: {f: {type: integer, format: int32, minimum: -2147483648}}}`, rules.Informational, ""},
		{"an exclusive bound of integers rewritten as an inclusive one",
			`{type: object, properties: {f: {type: integer, minimum: 0, exclusiveMinimum: true}}}`,
			`{type: object, properties: {f: {type: integer, minimum: 1}}}`, rules.Informational, ""},
		{"a field required that has a default already", `{type: object, properties: {f: {type: string, default: a}}}`,
			`{type: object, required: [f], properties: {f: {type: string, default: a}}}`, rules.Safe, "611"},
		{"a list of one item at most becomes a map", `{type: object, properties: {f: {type: array, maxItems: 1, items: {type: object, ` +
			`required: [k], properties: {k: {type: string}}}}}}`,
			`{type: object, properties: {f: {type: array, maxItems: 1, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], ` +
				`items: {type: object, required: [k], properties: {k: {type: string}}}}}}`, rules.Review, "903"},
		{"an enum's values were all valid under the new pattern", `{type: object, properties: {f: {type: string, enum: [a, b]}}}`,
			`{type: object, properties: {f: {type: string, enum: [a, b], pattern: '^[ab]$'}}}`, rules.Informational, ""},
		{"a map of anything instead of unknown fields",
			`{type: object, properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
			`{type: object, properties: {f: {type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}}}}`,
			rules.Informational, ""},
	} {
		t.Run(tc.name, tc.require)
	}
}

func TestCompare_DestructiveChanges(t *testing.T) {
	for _, tc := range []change{
		{"object to array", `{type: object, properties: {f: {type: object, properties: {a: {type: string}}}}}`,
			`{type: object, properties: {f: {type: array, items: {type: string}}}}`, rules.Destructive, "207"},
		{"array to object", `{type: object, properties: {f: {type: array, items: {type: object, properties: {a: {type: string}}}}}}`,
			`{type: object, properties: {f: {type: object, properties: {a: {type: string}}}}}`, rules.Destructive, "207"},
		{"array of scalars to object", `{type: object, properties: {f: {type: array, items: {type: string}}}}`,
			`{type: object, properties: {f: {type: object, properties: {a: {type: string}}}}}`, rules.Destructive, "207"},
		{"object to array of objects", `{type: object, properties: {f: {type: object, properties: {a: {type: string}}}}}`,
			`{type: object, properties: {f: {type: array, items: {type: object, properties: {a: {type: string}}}}}}`, rules.Destructive, "207"},
		{"renamed by case", `{type: object, properties: {acmeDNS: {type: string}}}`, `{type: object, properties: {acmedns: {type: string}}}`,
			rules.Destructive, "111"},
		{"embedded resource", `{type: object, properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
			`{type: object, properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}}}`,
			rules.Destructive, "805"},
		{"an object declared where anything was kept", `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
			`{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {f: {type: object, properties: {a: {type: string}}}}}`,
			rules.Destructive, "115"},
		{"maxProperties where keys are kept", `{type: object, x-kubernetes-preserve-unknown-fields: true}`,
			`{type: object, x-kubernetes-preserve-unknown-fields: true, maxProperties: 3}`, rules.Destructive, "R04"},
		{"anyOf where keys are kept below", `{type: object, properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: ` +
			`true}, g: {type: string}}}`,
			`{type: object, properties: {f: {type: object, x-kubernetes-preserve-unknown-fields: true}, g: {type: string}}, anyOf: ` +
				`[{required: [f]}, {required: [g]}]}`, rules.Destructive, "B04"},
		{"map of objects to a map of anything",
			`{type: object, properties: {f: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}}`,
			`{type: object, properties: {f: {type: object, additionalProperties: true}}}`, rules.Destructive, "208"},
		{"set to map", `{type: object, properties: {f: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}`,
			`{type: object, properties: {f: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: ` +
				`object, required: [k], properties: {k: {type: string}}}}}}`, rules.Destructive, "904"},
	} {
		t.Run(tc.name, tc.require)
	}
}
