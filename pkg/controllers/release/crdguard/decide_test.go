// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// definition returns a CRD with a name property of the given maximum length.
func definition(generation, longest int64, annotations ...string) *apiextensionsv1.CustomResourceDefinition {
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com", UID: "uid", Generation: generation},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped, Conversion: &apiextensionsv1.CustomResourceConversion{Strategy: "None"},
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": {Type: "string", MaxLength: &longest}},
				}},
			}},
		},
	}
	for i := 0; i+1 < len(annotations); i += 2 {
		metav1.SetMetaDataAnnotation(&definition.ObjectMeta, annotations[i], annotations[i+1])
	}
	return definition
}

func seen(t *testing.T, of *apiextensionsv1.CustomResourceDefinition) *v1alpha1.CRDSnapshot {
	t.Helper()
	snapshot := &v1alpha1.CRDSnapshot{}
	require.NoError(t, remember(snapshot, of))
	return snapshot
}

func TestWhatIsMissed(t *testing.T) {
	digest := compare.Digest(definition(1, 100), definition(2, 10))
	allowed := crdpolicy.AllowChange(digest, 1)
	another := definition(2, 10)
	another.UID = "another"
	scope := definition(2, 100)
	scope.Spec.Scope = apiextensionsv1.ClusterScoped
	for name, c := range map[string]struct {
		before, now    *apiextensionsv1.CustomResourceDefinition
		policy         crdpolicy.Policy
		record, missed bool
	}{
		"first sight": {nil, definition(7, 10), crdpolicy.Deny, true, false},
		"made anew":   {definition(1, 100), another, crdpolicy.Deny, true, false},
		"nothing":     {definition(1, 100), definition(1, 100), crdpolicy.Deny, false, false},
		"an annotation": {definition(1, 100), definition(1, 100, crdpolicy.PolicyAnnotation, "Warn"),
			crdpolicy.Deny, true, false},
		"a permission": {definition(1, 100), definition(1, 100, crdpolicy.AllowChangeAnnotation, allowed),
			crdpolicy.Deny, true, false},
		"another annotation":        {definition(1, 100), definition(1, 100, "x", "y"), crdpolicy.Deny, false, false},
		"harmless":                  {definition(1, 100), definition(2, 200), crdpolicy.Deny, true, false},
		"breaking":                  {definition(1, 100), definition(2, 10), crdpolicy.Deny, true, true},
		"breaking, several at once": {definition(1, 100), definition(9, 10), crdpolicy.Deny, true, true},
		"breaking, under Warn":      {definition(1, 100), definition(2, 10), crdpolicy.Warn, true, false},
		"breaking, and Deny by annotation": {definition(1, 100, crdpolicy.PolicyAnnotation, "Deny"),
			definition(2, 10, crdpolicy.PolicyAnnotation, "Deny"), crdpolicy.Warn, true, true},
		"breaking, and Warn by annotation": {definition(1, 100, crdpolicy.PolicyAnnotation, "Warn"), definition(2, 10),
			crdpolicy.Deny, true, false},
		"breaking, and Off by annotation": {definition(1, 100, crdpolicy.PolicyAnnotation, "Off"), definition(2, 10),
			crdpolicy.Deny, true, false},
		"breaking, and Warn since": {definition(1, 100), definition(2, 10, crdpolicy.PolicyAnnotation, "Warn"),
			crdpolicy.Deny, true, true},
		"breaking, and no policy": {definition(1, 100, crdpolicy.PolicyAnnotation, "warn"), definition(2, 10),
			crdpolicy.Deny, true, true},
		"allowed before": {definition(1, 100, crdpolicy.AllowChangeAnnotation, allowed), definition(2, 10),
			crdpolicy.Deny, true, false},
		"allowed since": {definition(1, 100), definition(2, 10, crdpolicy.AllowChangeAnnotation, allowed),
			crdpolicy.Deny, true, true},
		"allowed without a generation": {definition(1, 100, crdpolicy.AllowChangeAnnotation, digest), definition(2, 10),
			crdpolicy.Deny, true, true},
		"allowed once already": {definition(3, 100, crdpolicy.AllowChangeAnnotation, allowed),
			definition(4, 10, crdpolicy.AllowChangeAnnotation, allowed), crdpolicy.Deny, true, true},
		"allowed in a generation between": {definition(1, 100), definition(4, 10, crdpolicy.AllowChangeAnnotation,
			crdpolicy.AllowChange(digest, 3)), crdpolicy.Deny, true, true},
		"allowed for what comes next": {definition(1, 100), definition(2, 10, crdpolicy.AllowChangeAnnotation,
			crdpolicy.AllowChange(digest, 2)), crdpolicy.Deny, true, true},
		"another change is allowed": {definition(1, 100, crdpolicy.AllowChangeAnnotation, allowed), definition(2, 11),
			crdpolicy.Deny, true, true},
		"what the API server would refuse":  {definition(1, 100), scope, crdpolicy.Deny, true, false},
		"a caBundle, or nothing that shows": {definition(1, 100), definition(2, 100), crdpolicy.Deny, true, false},
	} {
		var snapshot *v1alpha1.CRDSnapshot
		if c.before != nil {
			snapshot = seen(t, c.before)
		}
		found, err := decide(snapshot, c.now, c.policy, nil)
		require.NoError(t, err, name)
		assert.Equal(t, c.record, found.record, name)
		assert.Equal(t, c.missed, found.missed != nil, name)
		if c.missed {
			assert.Equal(t, rules.Breaking, found.missed.Verdict, name)
			assert.NotEmpty(t, found.missed.Digest, name)
		}
	}
}

func TestASnapshotIsAsItWasSeen(t *testing.T) {
	now := definition(3, 10, crdpolicy.PolicyAnnotation, "Warn", crdpolicy.AllowChangeAnnotation, strings.Repeat("ä", 5000))
	now.Status.StoredVersions = []string{"v1"}
	snapshot := seen(t, now)
	assert.Equal(t, "widgets.example.com", snapshot.Name)
	assert.Equal(t, "uid", snapshot.Spec.UID)
	assert.EqualValues(t, 3, snapshot.Spec.Generation)
	assert.Equal(t, "Warn", snapshot.Spec.Policy)
	assert.Equal(t, 1024, utf8.RuneCountInString(snapshot.Spec.AllowChange))
	assert.NotContains(t, string(snapshot.Spec.Definition.Raw), "storedVersions")
	found, err := decide(snapshot, now, crdpolicy.Deny, nil)
	require.NoError(t, err)
	assert.Equal(t, verdict{}, found, "it is not written again and again")
	snapshot.Spec.Policy, snapshot.Spec.Definition.Raw = "", []byte("{}")
	_, err = decide(snapshot, definition(4, 5), crdpolicy.Deny, nil)
	assert.Error(t, err)
}

func TestWhatAnEventSays(t *testing.T) {
	report := rules.NewReport()
	report.Verdict, report.Digest = rules.Breaking, "sha256:0"
	for i := range 5 {
		report.Findings = append(report.Findings, rules.Finding{Code: "CRD-402", Verdict: rules.Breaking, Version: "v1",
			Path: strings.Repeat(".ä", i), Message: "m"})
	}
	note := noteOf(definition(3, 10), &report)
	for _, says := range []string{"generation 3 of widgets.example.com", "worst verdict B, 5 findings", "digest sha256:0",
		"ValidatingWebhookConfiguration", "spec.versions[v1].schema.ä: [CRD-402 B] m.", "and 2 more"} {
		assert.Contains(t, note, says)
	}
	report.Findings[0].Message = strings.Repeat("ä", 5000)
	note = noteOf(definition(3, 10), &report)
	assert.LessOrEqual(t, len(note), base.MaxNote)
	assert.True(t, utf8.ValidString(note))
	long := definition(1, 1)
	long.Name = strings.Repeat("a", 253)
	assert.LessOrEqual(t, len(eventOf(long, &report, start, "x").Name), 253)
	assert.NotEqual(t, eventOf(definition(3, 1), &report, start, "x").Name, eventOf(definition(4, 1), &report, start, "x").Name)
}
