// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

func crdSchema(name, version string, definition runtime.RawExtension) *release.CRDSchema {
	schema := &release.CRDSchema{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: release.CRDSchemaSpec{Definition: definition}}
	if version != "" {
		schema.Spec.OperatorVersionRef = &release.LocalObjectReference{Name: version}
	}
	return schema
}

// described adds a description to a CRD. It affects only the size of the CRD.
func described(text string) func(map[string]any) {
	return func(manifest map[string]any) {
		manifest["metadata"].(map[string]any)["annotations"] = map[string]any{"description": text}
	}
}

// noise returns text that cannot be compressed to less than half its size.
func noise(size int) string {
	var text strings.Builder
	sum := sha256.Sum256(nil)
	for text.Len() < size {
		sum = sha256.Sum256(sum[:])
		text.WriteString(hex.EncodeToString(sum[:]))
	}
	return text.String()[:size]
}

func TestValidateCRDSchema(t *testing.T) {
	renamed := func(name string) func(map[string]any) {
		return func(manifest map[string]any) { manifest["metadata"].(map[string]any)["name"] = name }
	}
	asking := func(reason string) *release.CRDSchema {
		schema := crdSchema("free", "", widgets(t))
		schema.Annotations = map[string]string{release.RequestApprovalAnnotation: reason}
		return schema
	}
	for name, tc := range map[string]struct {
		schema *release.CRDSchema
		want   []string
	}{
		"by hand":      {crdSchema("any-name", "", widgets(t)), nil},
		"of a version": {crdSchema("op-1.0.0.widgets.example.com", "op-1.0.0", widgets(t)), nil},
		"a wrong name": {crdSchema("widgets", "op-1.0.0", widgets(t)), []string{`metadata.name: must be "op-1.0.0.widgets.example.com"`}},
		"a name too long": {crdSchema("x", strings.Repeat("a", 240), widgets(t)),
			[]string{"metadata.name: longer than 253 characters: choose a shorter name for the Operator"}},
		"a name that is none": {crdSchema("A_b", "", widgets(t)), []string{"metadata.name: lowercase RFC 1123 subdomain"}},
		"no definition": {crdSchema("a", "op-1.0.0", runtime.RawExtension{}),
			[]string{"spec.definition: Required value: the complete manifest"}},
		"no JSON": {crdSchema("a", "", raw("apiVersion: v1")),
			[]string{"spec.definition: must be the manifest of a CustomResourceDefinition"}},
		"another kind": {crdSchema("a", "op-1.0.0", raw(`{"apiVersion":"v1","kind":"Pod"}`)),
			[]string{`spec.definition: must be a CustomResourceDefinition of apiVersion apiextensions.k8s.io/v1, not a "Pod" of "v1"`}},
		"an unknown field": {crdSchema("a", "", widgets(t, func(m map[string]any) { m["spec"].(map[string]any)["preserve"] = true })),
			[]string{`spec.definition: unknown field "spec.preserve"`}},
		"of another name": {crdSchema("a", "", widgets(t, renamed("gadgets.example.com"))),
			[]string{`spec.definition: metadata.name must be "widgets.example.com"`}},
		"large": {crdSchema("a", "", widgets(t, described(strings.Repeat("large ", 300<<10)))), nil},
		"too large": {crdSchema("a", "", widgets(t, described(strings.Repeat("large ", 600<<10)))),
			[]string{"spec.definition: is too large: it has 3601 KiB of JSON, and may have 3072"}},
		"too large to store": {crdSchema("a", "", widgets(t, described(noise(3<<20-1000)))),
			[]string{"spec.definition: does not fit into the store: its 3072 KiB of JSON are "}},
		"a reason":           {asking("because"), nil},
		"no reason":          {asking(" "), []string{"metadata.annotations[roadstead.dev/request-approval]: state why the change is needed"}},
		"the longest reason": {asking(strings.Repeat("ä", 1024)), nil},
		"too long a reason": {asking(strings.Repeat("ä", 1025)),
			[]string{"metadata.annotations[roadstead.dev/request-approval]: may not be more than 1024"}},
	} {
		t.Run(name, func(t *testing.T) {
			requireErrors(t, tc.want, ValidateCRDSchema(tc.schema))
			if tc.want == nil {
				require.Empty(t, ValidateCRDSchemaUpdate(tc.schema, tc.schema), "what create takes, an update without a change takes too")
			}
		})
	}
}

func TestADefinitionNeverChanges(t *testing.T) {
	stored := crdSchema("a", "", widgets(t))
	other := crdSchema("a", "", widgets(t, func(m map[string]any) { m["spec"].(map[string]any)["scope"] = "Cluster" }))
	requireErrors(t, []string{"spec.definition: field is immutable: store another definition as a CRDSchema of another name"},
		ValidateCRDSchemaUpdate(other, stored))
	require.Empty(t, ValidateCRDSchemaUpdate(stored, stored))
}

func TestSameJSON(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"order and spaces":        {`{"a":1,"b":[2]}`, `{ "b": [2], "a": 1 }`, true},
		"numbers":                 {`{"a":1}`, `{"a":1.0}`, true},
		"numbers the other way":   {`{"a":1.0}`, `{"a":1}`, true},
		"null and not there":      {`{"a":null}`, `{}`, false},
		"not there and null":      {`{}`, `{"a":null}`, false},
		"another number":          {`{"a":1}`, `{"a":1.5}`, false},
		"large numbers":           {`{"a":9223372036854775807}`, `{"a":9223372036854775806}`, false},
		"another order in a list": {`[1,2]`, `[2,1]`, false},
		"a longer list":           {`[1]`, `[1,1]`, false},
		"null in a list":          {`[null]`, `[]`, false},
		"another type":            {`{"a":"1"}`, `{"a":1}`, false},
		"a list and a map":        {`{"a":[]}`, `{"a":{}}`, false},
		"a map and a list":        {`{"a":{}}`, `{"a":[]}`, false},
		"another key":             {`{"a":1}`, `{"b":1}`, false},
		"one key more":            {`{"a":1}`, `{"a":1,"b":1}`, false},
		"false and not there":     {`{"a":false}`, `{}`, false},
		"no JSON":                 {`{`, `{}`, false},
		"the same, if no JSON":    {`{`, `{`, true},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.same, SameJSON(raw(tc.a), raw(tc.b))) })
	}
}

func TestSameDefinition(t *testing.T) {
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"null and not there": {`{"a":null,"b":[{"c":null}]}`, `{"b":[{}]}`, true},
		"not there and null": {`{}`, `{"a":null}`, true},
		"null in a list":     {`[null]`, `[]`, false},
		"another number":     {`{"a":1}`, `{"a":2}`, false},
		"null and a value":   {`{"a":null}`, `{"a":1}`, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.same, SameDefinition(raw(tc.a), raw(tc.b))) })
	}
}

func TestValidateCRDSchemaStatus(t *testing.T) {
	schema := crdSchema("a", "", widgets(t))
	schema.Status = release.CRDSchemaStatus{CreatedBy: "ann", CRD: "widgets.example.com", Against: &release.CRDSchemaBaseline{Name: "b"},
		Findings: make([]release.Finding, 50)}
	require.Empty(t, ValidateCRDSchemaStatus(schema, schema))
	schema.Status.CreatedBy, schema.Status.Against.UID = strings.Repeat("a", 4097), strings.Repeat("a", 254)
	schema.Status.Conditions = make([]metav1.Condition, 33)
	schema.Status.Findings[0].Message = strings.Repeat("a", 1025)
	requireErrors(t, []string{
		"status.conditions: must have at most 32 items", "status.findings[0].message: may not be more than 1024",
		"status.against.uid: may not be more than 253", "status.createdBy: may not be more than 4096",
	}, ValidateCRDSchemaStatus(schema, schema))
}
