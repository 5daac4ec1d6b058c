// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// requireConsistent checks the invariants of every report.
func requireConsistent(t testing.TB, report rules.Report) {
	t.Helper()
	worst := rules.Informational
	for i, finding := range report.Findings {
		_, err := rules.ByCode(finding.Code)
		require.NoError(t, err)
		require.Contains(t, []rules.Verdict{rules.Informational, rules.Safe, rules.Review, rules.Breaking, rules.Destructive,
			rules.Refused}, finding.Verdict)
		require.NotEmpty(t, finding.Message, finding.Code)
		if i > 0 {
			require.False(t, finding.Verdict.Compare(report.Findings[i-1].Verdict) > 0, "findings are not sorted by verdict")
		}
		if finding.Verdict.AtLeast(worst) {
			worst = finding.Verdict
		}
	}
	require.Equal(t, worst, report.Verdict)
	require.NotNil(t, report.Findings)
}

// everyExample returns one change that contains the examples of all field rules, each in its own field.
func everyExample(t testing.TB) (old, new *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	sides := [2]*apiextensionsv1.CustomResourceDefinition{}
	for i := range sides {
		var properties []string
		for _, rule := range rules.All {
			if rule.Scope == rules.InField && rule.Verdict != rules.Refused {
				properties = append(properties, fmt.Sprintf("f%s: %s", rule.ID, []string{rule.Old, rule.New}[i]))
			}
		}
		require.Greater(t, len(properties), 100)
		var err error
		sides[i], err = exampleDefinitionOf(rules.InSpec, "{properties: {"+strings.Join(properties, ", ")+"}}")
		require.NoError(t, err)
	}
	return sides[0], sides[1]
}

func TestCompare_ManyChanges(t *testing.T) {
	old, new := everyExample(t)
	require.NoError(t, updateDefinition(t, old, new))
	report := Compare(old, new, Options{})
	requireConsistent(t, report)
	for _, rule := range rules.All {
		if rule.Scope == rules.InField && rule.Verdict != rules.Refused && rule.Verdict != rules.Informational {
			found := requireFinding(t, report, rule.Code())
			assert.NotEmpty(t, found.Path, rule.ID)
		}
	}
}

// TestCompare_InvalidDefinitions compares CRDs that the API server would never store.
func TestCompare_InvalidDefinitions(t *testing.T) {
	decode := func(text string) *apiextensionsv1.CustomResourceDefinition {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		require.NoError(t, yaml.Unmarshal([]byte(text), definition), text)
		return definition
	}
	schema := func(text string) *apiextensionsv1.CustomResourceDefinition {
		return decode("{metadata: {name: a}, spec: {versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + text +
			"}}]}}")
	}
	noItems, noValues := schema("{type: array}"), schema("{type: object}")
	noItems.Spec.Versions[0].Schema.OpenAPIV3Schema.Items = &apiextensionsv1.JSONSchemaPropsOrArray{}
	noValues.Spec.Versions[0].Schema.OpenAPIV3Schema.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{}
	broken := schema("{type: string, default: 1}")
	broken.Spec.Versions[0].Schema.OpenAPIV3Schema.Default.Raw = []byte("{")
	broken.Spec.Versions[0].Schema.OpenAPIV3Schema.Enum = []apiextensionsv1.JSON{{}, {Raw: []byte("[")}}
	all := []*apiextensionsv1.CustomResourceDefinition{
		nil, {}, decode("{spec: {versions: []}}"), decode("{spec: {versions: [{}]}}"), decode("{spec: {versions: [{name: v1}, {name: v1}]}}"),
		decode("{spec: {versions: [{name: v1, schema: {}}]}}"), decode("{spec: {versions: [{name: v1, storage: true, subresources: {}}]}}"),
		decode("{spec: {versions: [{name: v1, subresources: {scale: {}, status: {}}, selectableFields: [{}], additionalPrinterColumns: [{}]}]}}"),
		decode("{spec: {conversion: {strategy: Webhook}}}"),
		decode("{spec: {conversion: {strategy: Webhook, webhook: {clientConfig: {service: {}}}}}}"),
		decode("{spec: {conversion: {}}, status: {conditions: [{}], storedVersions: [\"\"]}}"),
		schema("{}"), schema("{items: []}"), schema("{items: [{type: string}]}"), schema("{additionalProperties: false}"),
		noItems, noValues, broken,
		schema("{not: {}, allOf: [], anyOf: [{}], oneOf: [{not: {not: {}}}]}"),
		schema("{type: nosuch, pattern: \"(\", format: nosuch, multipleOf: 0}"),
		schema("{x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}"), schema("{x-kubernetes-validations: [{}, {rule: \"(\"}]}"),
		schema("{type: object, required: [\"\", a, a], properties: {\"\": {}, a.b: {type: string}}}"),
		schema("{minLength: 9, maxLength: 1, enum: [], pattern: \"\"}"),
		schema("{$ref: x, definitions: {a: {}}, dependencies: {a: [b]}, patternProperties: {a: {}}, additionalItems: true}"),
		objectsInObjects(t, 100), nestedLists(t, 100),
	}
	for _, old := range all {
		for _, new := range all {
			requireConsistent(t, Compare(old, new, Options{TargetVersion: "nonsense"}))
			requireConsistent(t, Reverse(old, new, Options{}))
		}
	}
}

// objectsInObjects returns a CRD with nested objects.
func objectsInObjects(t testing.TB, depth int) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition, err := exampleDefinitionOf(rules.InRoot, "{}")
	require.NoError(t, err)
	for range depth {
		inner := *definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": inner}}
	}
	return definition
}

// nestedLists returns a CRD with nested lists.
func nestedLists(t testing.TB, depth int) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition, err := exampleDefinitionOf(rules.InRoot, "{}")
	require.NoError(t, err)
	for range depth {
		inner := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		definition.Spec.Versions[0].Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{Type: "array",
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: inner}}
	}
	return definition
}

func TestCompare_DeepSchemas(t *testing.T) {
	const depth, far = 400, 3 * manifest.DeepestSchema
	for name, build := range map[string]func(testing.TB, int) *apiextensionsv1.CustomResourceDefinition{"objects": objectsInObjects,
		"lists": nestedLists} {
		t.Run(name, func(t *testing.T) {
			report := Compare(build(t, depth+1), build(t, depth), Options{})
			requireConsistent(t, report)
			assert.True(t, report.Verdict.Breaks(), "the innermost level is removed")
			assert.Empty(t, Compare(build(t, depth), build(t, depth), Options{}).Findings)
			assert.Equal(t, rules.Refused, Compare(build(t, far+1), build(t, far), Options{}).Verdict,
				"a schema that is not compared is not reported as harmless")
			assert.Empty(t, Compare(build(t, far), build(t, far), Options{}).Findings)
		})
	}
}

// large returns a CRD of about 3 MiB whose lists have items with a bounded value.
func large(t testing.TB, limit int64) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	definition, err := exampleDefinitionOf(rules.InSpec, "{}")
	require.NoError(t, err)
	var group apiextensionsv1.JSONSchemaProps
	require.NoError(t, yaml.UnmarshalStrict([]byte(`{type: object, description: a group of fields, properties: {
		list: {type: array, items: {type: object, required: [name], properties: {name: {type: string, maxLength: 63, pattern: "^[a-z]+$"},
		  value: {type: string}}}},
		mode: {type: string, enum: [a, b, c], default: a}}}`), &group))
	value := group.Properties["list"].Items.Schema.Properties["value"]
	value.MaxLength = &limit
	group.Properties["list"].Items.Schema.Properties["value"] = value
	encoded, err := json.Marshal(group)
	require.NoError(t, err)
	spec := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	for i := range (3 << 20) / len(encoded) {
		spec.Properties[fmt.Sprintf("group%d", i)] = group
	}
	return definition
}

func TestCompare_LargeDefinition(t *testing.T) {
	report := Compare(large(t, 10), large(t, 5), Options{})
	requireConsistent(t, report)
	assert.Equal(t, rules.Breaking, report.Verdict)
	assert.Greater(t, len(report.Findings), 5_000)
	assert.Empty(t, Compare(large(t, 10), large(t, 10), Options{}).Findings)
}
