// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// places are schemas of .spec.f with a placeholder for the schema of an example.
var places = map[string]string{
	"property":          "{type: object, properties: {nested: HOLE}}",
	"deep":              "{type: object, properties: {a: {type: object, properties: {b: {type: object, properties: {nested: HOLE}}}}}}",
	"items":             "{type: array, maxItems: 9, items: HOLE}",
	"property of items": "{type: array, maxItems: 9, items: {type: object, properties: {nested: HOLE}}}",
	"items of a map list": "{type: array, maxItems: 9, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: " +
		"{type: object, required: [k], properties: {k: {type: string}, nested: HOLE}}}",
	"map values": "{type: object, maxProperties: 9, additionalProperties: HOLE}",
	"lists in maps": "{type: object, maxProperties: 9, additionalProperties: {type: array, maxItems: 9, items: {type: " +
		"object, properties: {nested: HOLE}}}}",
	"behind preserved unknowns": "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {nested: HOLE}}",
}

// assertAsSevere requires that a nested change breaks if and only if its rule does.
func assertAsSevere(t *testing.T, rule rules.Rule, report rules.Report) {
	t.Helper()
	switch {
	case rule.Provable:
	case rule.Verdict == rules.Informational:
		assert.Equal(t, rules.Informational, report.Verdict, "%+v", report.Findings)
	case rule.Verdict.Breaks():
		assert.True(t, report.Verdict.AtLeast(rule.Verdict), "%+v", report.Findings)
	default:
		assert.Equal(t, rule.Verdict, report.Verdict, "%+v", report.Findings)
	}
}

// unlike lists the places in which a rule is another change: a null is dropped from a field and a map but
// is an error in a list, missing items and values have no defaults, and transition rules need an old
// value. An atomic list is ratcheted as one value, and the server does not check defaults below the
// values of a map.
var unlike = map[string][]string{
	"701": {"items", "map values"}, "702": {"items", "map values"}, "601": {"items", "map values"}, "602": {"items", "map values"},
	"603": {"items", "map values"},
	"606": {"items", "map values"}, "704": {"items"}, "608": {"map values", "lists in maps"},
	"116": {"items", "property of items", "lists in maps"},
	"A03": {"items", "property of items", "lists in maps"}, "A08": {"items", "property of items", "lists in maps"},
}

func TestRules_AtEveryDepth(t *testing.T) {
	for _, rule := range rules.All {
		if rule.Scope != rules.InField {
			continue
		}
		for place, schema := range places {
			if slices.Contains(unlike[rule.ID], place) {
				continue
			}
			t.Run(rule.ID+" in "+place, func(t *testing.T) {
				nested := rule
				nested.Old, nested.New = strings.Replace(schema, "HOLE", rule.Old, 1), strings.Replace(schema, "HOLE", rule.New, 1)
				old, new, err := exampleCRDs(nested)
				require.NoError(t, err)
				if rule.Verdict != rules.Refused {
					require.NoError(t, updateDefinition(t, old, new))
				}
				assertAsSevere(t, rule, Compare(old, new, Options{}))
			})
		}
	}
}

func TestRules_InEveryServedVersion(t *testing.T) {
	for _, rule := range rules.All {
		if rule.Scope == rules.InCluster || rule.Scope == rules.InDefinition {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			old, new, err := exampleCRDs(rule)
			require.NoError(t, err)
			for _, definition := range []*apiextensionsv1.CustomResourceDefinition{old, new} {
				// Both versions change in the same way, so that conversion has no effect.
				second := *definition.Spec.Versions[0].DeepCopy()
				second.Name, second.Storage = "v1beta1", false
				definition.Spec.Versions = append(definition.Spec.Versions, second)
			}
			report := Compare(old, new, Options{})
			assertAsSevere(t, rule, report)
			if rule.Verdict == rules.Informational || rule.Verdict == rules.Refused {
				return
			}
			for _, version := range []string{"v1", "v1beta1"} {
				assert.True(t, slices.ContainsFunc(report.Findings, func(finding rules.Finding) bool {
					return finding.Version == version || finding.Version == ""
				}), "no finding for %s: %+v", version, report.Findings)
			}
		})
	}
}

// valueRules returns the rules whose sides may both be used in allOf and not: only values are restricted, and the type stays.
func valueRules(t *testing.T) map[string][2]string {
	t.Helper()
	found := map[string][2]string{}
	for _, rule := range rules.All {
		if !strings.ContainsAny(rule.ID[:1], "345") {
			continue // not an enum, bound or format
		}
		sides, types := [2]string{}, [2]any{}
		for i, text := range []string{rule.Old, rule.New} {
			var schema map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(text), &schema))
			types[i] = schema["type"]
			delete(schema, "type")
			encoded, err := json.Marshal(schema)
			require.NoError(t, err)
			sides[i] = string(encoded)
		}
		forbidden := strings.Contains(rule.Old+rule.New, "x-kubernetes") || strings.Contains(rule.Old, "items:") ||
			strings.Contains(rule.Old, "additionalProperties:")
		if types[0] == types[1] && !forbidden && rule.Verdict != rules.Refused && !rule.Provable {
			found[rule.ID] = [2]string{"type: " + types[0].(string) + ", ", sides[0] + "\n" + sides[1]}
		}
	}
	require.Greater(t, len(found), 20)
	return found
}

func TestRules_InJunctors(t *testing.T) {
	for id, value := range valueRules(t) {
		rule, err := rules.ByCode("CRD-" + id)
		require.NoError(t, err)
		was, is, _ := strings.Cut(value[1], "\n")
		compare := func(t *testing.T, open, shut string) rules.Report {
			nested := rule
			nested.Old, nested.New = "{"+value[0]+open+was+shut+"}", "{"+value[0]+open+is+shut+"}"
			old, new, err := exampleCRDs(nested)
			require.NoError(t, err)
			require.NoError(t, updateDefinition(t, old, new))
			return Compare(old, new, Options{})
		}
		t.Run(id+" in allOf", func(t *testing.T) {
			assertAsSevere(t, rule, compare(t, "allOf: [", "]"))
		})
		t.Run(id+" in the only branch of anyOf", func(t *testing.T) {
			assertAsSevere(t, rule, compare(t, "anyOf: [", "]"))
		})
		if was == "{}" || is == "{}" || id == "306" || id == "510" || id == "507" || id == "508" || rule.Verdict == rules.Informational {
			continue // The negation of everything allows nothing, and changes that neither widen nor narrow break inside not, too.
			// Formats of numbers have no effect without a type.
		}
		t.Run(id+" in not", func(t *testing.T) {
			report := compare(t, "not: ", "")
			assert.Equal(t, !rule.Verdict.Breaks(), report.Verdict.Breaks(), "a narrower body of not allows more: %+v", report.Findings)
		})
	}
}
