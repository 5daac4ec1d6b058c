// SPDX-License-Identifier: Apache-2.0

package live

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func TestReplay(t *testing.T) {
	cases := map[string]struct {
		old, new, object string
		// want is code, verdict and path of each finding, in order.
		want []string
	}{
		"nothing changes": {
			old: "spec: {type: object, properties: {f: {type: string}}}", new: "spec: {type: object, properties: {f: {type: string}}}",
			object: "spec: {f: x}"},
		"a field is removed": {
			old:    "spec: {type: object, properties: {f: {type: string}, g: {type: string}}}",
			new:    "spec: {type: object, properties: {g: {type: string}}}",
			object: "spec: {f: x}", want: []string{"CRD-L01 B! .spec.f", "CRD-L04 B .spec.f"}},
		"a field is removed that the object does not have": {
			old:    "spec: {type: object, properties: {f: {type: string}, g: {type: string}}}",
			new:    "spec: {type: object, properties: {g: {type: string}}}",
			object: "spec: {g: x}"},
		"a field of the items of a list is removed": {
			old: "spec: {type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: " +
				"string}}}}}}",
			new:    "spec: {type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}}}}}}",
			object: "spec: {l: [{a: x}, {b: y}, {b: z}]}", want: []string{"CRD-L01 B! .spec.l[*].b", "CRD-L04 B .spec.l[*].b"}},
		"a map becomes fields": {
			old:    "spec: {type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}",
			new:    "spec: {type: object, properties: {m: {type: object, properties: {a: {type: string}}}}}",
			object: "spec: {m: {a: x, b.c/d: y}}", want: []string{"CRD-L01 B! .spec.m.*", "CRD-L04 B .spec.m.*"}},
		"undeclared fields are no longer kept": {
			old:    "spec: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: string}}}",
			object: "spec: {f: x, free: {of: form}}", want: []string{"CRD-L01 B! .spec.*", "CRD-L04 B .spec.*"}},
		"a field becomes required": {
			old:    "spec: {type: object, properties: {f: {type: string}, g: {type: string}}}",
			new:    "spec: {type: object, required: [g], properties: {f: {type: string}, g: {type: string}}}",
			object: "spec: {f: x}", want: []string{"CRD-L02 B .spec.g"}},
		"a field becomes required where the root requires its parent": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "^required: [spec]\nspec: {type: object, properties: {f: {type: string}}}",
			object: "status: {}", want: []string{"CRD-L03 B! .spec"}},
		"a field becomes required next to undeclared fields": {
			old: "spec: {type: object, properties: {f: {type: string}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
			new: "spec: {type: object, required: [g], properties: {f: {type: string}, g: {type: string}, free: {type: object, " +
				"x-kubernetes-preserve-unknown-fields: true}}}",
			object: "spec: {free: {of: form}}", want: []string{"CRD-L03 B! .spec.g"}},
		"a field becomes required next to undeclared fields in an atomic list": {
			old: "spec: {type: object, properties: {l: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}",
			new: "spec: {type: object, required: [g], properties: {g: {type: string}, l: {type: array, items: {type: object, " +
				"x-kubernetes-preserve-unknown-fields: true}}}}",
			object: "spec: {l: [{of: form}]}", want: []string{"CRD-L02 B .spec.g"}},
		"an object becomes an embedded resource": {
			old: "spec: {type: object, properties: {o: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
			new: "spec: {type: object, properties: {o: {type: object, x-kubernetes-embedded-resource: true, " +
				"x-kubernetes-preserve-unknown-fields: true}}}",
			object: "spec: {o: {a: b}}", want: []string{"CRD-L03 B! .spec.o.apiVersion", "CRD-L03 B! .spec.o.kind"}},
		"a rule at the root": {
			old: "spec: {type: object, properties: {f: {type: string}}}",
			new: "^x-kubernetes-validations: [{rule: 'self.metadata.name.size() < 3', message: name is too long}]\nspec: {type: " +
				"object, properties: {f: {type: string}}}",
			object: "spec: {f: x}", want: []string{"CRD-L03 B! "}},
		"a bound": {
			old: "spec: {type: object, properties: {f: {type: string}}}", new: "spec: {type: object, properties: {f: {type: string, maxLength: 3}}}",
			object: "spec: {f: long}", want: []string{"CRD-L02 B .spec.f"}},
		"a bound that was violated before": {
			old:    "spec: {type: object, properties: {f: {type: string, maxLength: 3}}}",
			new:    "spec: {type: object, properties: {f: {type: string, maxLength: 2}}}",
			object: "spec: {f: long}"},
		"a list becomes a set": {
			old:    "spec: {type: object, properties: {l: {type: array, items: {type: string}}}}",
			new:    "spec: {type: object, properties: {l: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}",
			object: "spec: {l: [a, b, a]}", want: []string{"CRD-L02 B .spec.l[*]", "CRD-L04 B .spec.l"}},
		"a list becomes a map": {
			old: "spec: {type: object, properties: {l: {type: array, items: {type: object, required: [k], properties: {k: {type: string}}}}}}",
			new: "spec: {type: object, properties: {l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], " +
				"items: {type: object, required: [k], properties: {k: {type: string}}}}}}",
			object: "spec: {l: [{k: a}, {k: a}]}", want: []string{"CRD-L02 B .spec.l[*]", "CRD-L04 B .spec.l"}},
		"a type": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: array, items: {type: string}}}}",
			object: "spec: {f: x}", want: []string{"CRD-L02 B .spec.f", "CRD-L04 B .spec.f"}},
		"an object becomes a list": {
			old:    "spec: {type: object, properties: {f: {type: object, properties: {a: {type: string}}}}}",
			new:    "spec: {type: object, properties: {f: {type: array, items: {type: string}}}}",
			object: "spec: {f: {a: x}}", want: []string{"CRD-L01 B! .spec.f.a", "CRD-L02 B .spec.f", "CRD-L04 B .spec.f"}},
		"a default": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: string}, g: {type: string, default: x}}}",
			object: "spec: {f: x}", want: []string{"CRD-L05 R .spec.g"}},
		"a null that is no longer allowed": {
			old:    "spec: {type: object, properties: {f: {type: string, nullable: true}}}",
			new:    "spec: {type: object, properties: {f: {type: string}}}",
			object: "spec: {f: null}", want: []string{"CRD-L08 R .spec.f"}},
		"a null that becomes the default": {
			old:    "spec: {type: object, properties: {f: {type: string, nullable: true, default: x}}}",
			new:    "spec: {type: object, properties: {f: {type: string, default: x}}}",
			object: "spec: {f: null}", want: []string{"CRD-L08 B .spec.f"}},
		"a null item": {
			old:    "spec: {type: object, properties: {l: {type: array, items: {type: string, nullable: true}}}}",
			new:    "spec: {type: object, properties: {l: {type: array, items: {type: string}}}}",
			object: "spec: {l: [a, null]}", want: []string{"CRD-L02 B .spec.l[*]"}},
		"a null that is required": {
			old:    "spec: {type: object, required: [f], properties: {f: {type: string, nullable: true}}}",
			new:    "spec: {type: object, required: [f], properties: {f: {type: string}}}",
			object: "spec: {f: null}", want: []string{"CRD-L02 B .spec.f", "CRD-L08 R .spec.f"}},
		"a field of the status becomes required": {
			old:    "status: {type: object, properties: {f: {type: string}, g: {type: string}}}",
			new:    "status: {type: object, required: [g], properties: {f: {type: string}, g: {type: string}}}",
			object: "status: {f: x}", want: []string{"CRD-L02 B .status.g"}},
		"a type under a parent with a rule, whose evaluation fails": {
			old: "spec: {type: object, properties: {f: {type: string}, g: {type: string}}, x-kubernetes-validations: [{rule: " +
				"'size(self.f) > 0'}]}",
			new: "spec: {type: object, properties: {f: {type: array, items: {type: string}}, g: {type: string}}, " +
				"x-kubernetes-validations: [{rule: 'size(self.f) > 0'}]}",
			object: "spec: {f: x}", want: []string{"CRD-L02 B .spec.f", "CRD-L03 B! .spec", "CRD-L04 B .spec.f"}},
		"metadata of an embedded resource": {
			old: "spec: {type: object, properties: {o: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: " +
				"{type: object, properties: {name: {type: string}}}}}}}",
			new: "spec: {type: object, properties: {o: {type: object, properties: {apiVersion: {type: string}, kind: {type: string}, " +
				"metadata: {type: object}}}}}",
			object: "spec: {o: {apiVersion: v1, kind: Pod, metadata: {name: x}}}", want: []string{"CRD-L01 B! .spec.o.metadata.name"}},
		"one of two fields": {
			old: "spec: {type: object, properties: {o: {type: object, properties: {a: {type: string}, b: {type: string}}}}}",
			new: "spec: {type: object, properties: {o: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: " +
				"[{required: [a]}, {required: [b]}]}}}",
			object: "spec: {o: {a: x, b: y}}", want: []string{"CRD-L02 B .spec.o"}},
		"an added constraint with two errors": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: string, allOf: [{pattern: ^a}]}}}",
			object: "spec: {f: b}", want: []string{"CRD-L02 B .spec.f"}},
		"a value that is no longer allowed": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: string, not: {enum: [b]}}}}",
			object: "spec: {f: b}", want: []string{"CRD-L02 B .spec.f"}},
		"a fraction that must be an integer": {
			old:    "spec: {type: object, properties: {f: {type: number}}}",
			new:    "spec: {type: object, properties: {f: {type: integer, format: int32}}}",
			object: "spec: {f: 1.5}", want: []string{"CRD-L02 B .spec.f"}},
		"a map with too many entries": {
			old:    "spec: {type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}",
			new:    "spec: {type: object, properties: {m: {type: object, maxProperties: 1, additionalProperties: {type: string}}}}",
			object: "spec: {m: {a: x, b: y}}", want: []string{"CRD-L02 B .spec.m"}},
		"an added rule on a field that was invalid before": {
			old: "spec: {type: object, properties: {f: {type: string, x-kubernetes-validations: [{rule: 'self == \"a\"', message: must be a}]}}}",
			new: "spec: {type: object, properties: {f: {type: string, x-kubernetes-validations: [{rule: 'self == \"a\"', message: " +
				"must be a}, {rule: 'self == \"b\"', message: must be b}]}}}",
			object: "spec: {f: c}", want: []string{"CRD-L02 B .spec.f"}},
		"an immutable value that is rewritten unchanged": {
			old:    "spec: {type: object, properties: {f: {type: string}}}",
			new:    "spec: {type: object, properties: {f: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}}",
			object: "spec: {f: c}"},
		"an immutable status": {
			old:    "status: {type: object, properties: {f: {type: string}}}",
			new:    "status: {type: object, x-kubernetes-validations: [{rule: self == oldSelf, message: never}], properties: {f: {type: string}}}",
			object: "status: {f: c}", want: []string{"CRD-L02 B .status"}},
		"a rule of the values of a map": {
			old:    "spec: {type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}",
			new:    "spec: {type: object, properties: {m: {type: object, additionalProperties: {type: string, enum: [a]}}}}",
			object: "spec: {m: {example.com/k: b}}", want: []string{"CRD-L02 B .spec.m.*"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Replay(t.Context(), definitionOf(t, c.old), definitionOf(t, c.new), objects(widget(t, "one", c.object)), Options{})
			require.NoError(t, err)
			assert.True(t, result.Complete)
			assert.Equal(t, 1, result.Checked)
			var got []string
			for _, finding := range result.Findings {
				got = append(got, finding.Code+" "+string(finding.Verdict)+" "+finding.Path)
				assert.Equal(t, rules.Live, finding.Evidence)
				assert.Equal(t, "v1", finding.Version)
				assert.Equal(t, 1, finding.LiveCount)
				assert.Equal(t, []string{"team/one"}, finding.SampleObjects)
				assert.Contains(t, finding.Message, "1 of 1 checked objects")
				assert.NotContains(t, finding.Message, "\n")
			}
			assert.Equal(t, c.want, got, "%+v", result.Findings)
		})
	}
}

func TestReplay_CoOwnedList(t *testing.T) {
	old := definitionOf(t, "spec: {type: object, properties: {l: {type: array, x-kubernetes-list-type: set, items: {type: "+
		"string}}, m: {type: object, additionalProperties: {type: object, properties: {l: {type: array, items: {type: string}, "+
		"x-kubernetes-list-type: set}}}}}}")
	new := definitionOf(t, "spec: {type: object, properties: {l: {type: array, x-kubernetes-list-type: atomic, items: {type: "+
		"string}}, m: {type: object, additionalProperties: {type: object, properties: {l: {type: array, items: {type: string}}}}}}}")
	managed := func(second string) string {
		return `
metadata:
  managedFields:
  - {manager: flux, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:l": {'v:"a"': {}},
      "f:m": {"f:x": {"f:l": {'v:"a"': {}}}}}}}
  - {manager: operator, operation: ` + second + `, apiVersion: example.com/v1, fieldsType: FieldsV1,
      fieldsV1: {"f:spec": {"f:l": {'v:"b"': {}}, "f:m": {"f:y": {"f:l": {'v:"b"': {}}}}}}}
spec: {l: [a, b], m: {x: {l: [a]}, y: {l: [b]}}}`
	}
	result, err := Replay(t.Context(), old, new, objects(
		widget(t, "shared", managed("Apply")), widget(t, "single", managed("Update"))), Options{})
	require.NoError(t, err)
	require.Len(t, result.Findings, 1, "%+v", result.Findings)
	finding := result.Findings[0]
	assert.Equal(t, "CRD-L07", finding.Code)
	assert.Equal(t, rules.Breaking, finding.Verdict)
	assert.Equal(t, ".spec.l", finding.Path, "different keys of the map have one manager each")
	assert.Equal(t, []string{"team/shared"}, finding.SampleObjects)
	assert.Contains(t, finding.Message, "flux, operator: list set → list atomic")
}

func TestReplay_ManagedFieldsOfRemovedVersion(t *testing.T) {
	old := definitionOf(t, "spec: {type: object, properties: {f: {type: string}}}")
	old.Spec.Versions = append(old.Spec.Versions, *old.Spec.Versions[0].DeepCopy())
	old.Spec.Versions[1].Name, old.Spec.Versions[1].Storage = "v1beta1", false
	new := definitionOf(t, "spec: {type: object, properties: {f: {type: string}}}")
	managed := `
metadata:
  managedFields:
  - {manager: kubectl, operation: Update, apiVersion: example.com/v1beta1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:f": {}}}}
spec: {f: x}`
	result, err := Replay(t.Context(), old, new, objects(widget(t, "old", managed), widget(t, "young", "spec: {f: x}")), Options{})
	require.NoError(t, err)
	require.Len(t, result.Findings, 1)
	assert.Equal(t, "CRD-L04", result.Findings[0].Code)
	assert.Equal(t, 1, result.Findings[0].LiveCount)
	assert.Contains(t, result.Findings[0].Message, "manager kubectl owns fields in version v1beta1, which was removed")

	result, err = Replay(t.Context(), new, new, objects(widget(t, "old", managed)), Options{})
	require.NoError(t, err)
	assert.Empty(t, result.Findings, "the version was removed before")
}
