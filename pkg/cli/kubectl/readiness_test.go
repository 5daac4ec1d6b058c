// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"pgregory.net/rapid"
)

var (
	withStatus = &kind{APIResource: metav1.APIResource{Name: "gadgets", Kind: "Gadget"},
		subresources: map[string]metav1.APIResource{"status": {}}}
	withoutStatus = &kind{APIResource: metav1.APIResource{Name: "labels", Kind: "Label"}}
)

func TestAssess(t *testing.T) {
	for name, test := range map[string]struct {
		kind            *kind
		object          string
		ready, finished bool
		reason, message string
	}{
		"ready": {
			kind: withStatus, object: `{metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", reason: ` +
				`AsSpecified, observedGeneration: 2}]}}`,
			ready: true, reason: "AsSpecified",
		},
		"ready about an earlier spec": {
			kind: withStatus, object: `{metadata: {generation: 3}, status: {conditions: [{type: Ready, status: "True", reason: ` +
				`AsSpecified, observedGeneration: 2}]}}`,
			reason: reasonOutdated,
			message: "its spec has generation 3, but the controller has observed 2; if this does not change, " +
				"check that roadstead-controller is running",
		},
		"the generation is that of the status": {
			kind: withStatus, object: `{metadata: {generation: 3}, status: {observedGeneration: 2, conditions: [{type: Ready, status: ` +
				`"True", reason: AsSpecified}]}}`,
			reason: reasonOutdated,
			message: "its spec has generation 3, but the controller has observed 2; if this does not change, " +
				"check that roadstead-controller is running",
		},
		"nobody says which generation": {
			kind: withStatus, object: `{metadata: {generation: 3}, status: {conditions: [{type: Ready, status: "True", reason: AsSpecified}]}}`,
			ready: true, reason: "AsSpecified",
		},
		"unknown": {
			kind: withStatus, object: `{status: {conditions: [{type: Ready, status: Unknown, reason: Reconciling, message: "being made"}]}}`,
			reason: "Reconciling", message: "being made",
		},
		"a message that would steer a terminal": {
			kind: withStatus, object: `{status: {conditions: [{type: Ready, status: "False", reason: Bad, message: "a\u001b[2Jb\nc"}]}}`,
			reason: "Bad", message: "a [2Jb c",
		},
		"no status at all": {kind: withStatus, object: `{}`, reason: reasonNoStatus, message: "no controller has set its status " +
			"since it was created <unknown> ago; if this does not change, check that roadstead-controller is running"},
		"a kind without a status": {kind: withoutStatus, object: `{}`, ready: true, reason: reasonReady},
		"finished, without Ready": {
			kind: withStatus, object: `{status: {conditions: [{type: Finished, status: "True", reason: Rejected, message: "no"}]}}`,
			ready: true, finished: true, reason: "Rejected", message: "no",
		},
		"being deleted, and it says why": {
			kind: withStatus, object: `{metadata: {deletionTimestamp: "2026-03-01T11:00:00Z", finalizers: [f]}, status: {conditions: ` +
				`[{type: Ready, status: "False", reason: DeletionBlocked, message: "away"}]}}`,
			reason: "DeletionBlocked", message: "away",
		},
		"being deleted, and it was ready": {
			kind: withStatus, object: `{metadata: {deletionTimestamp: "2026-03-01T11:00:00Z", finalizers: [f]}, status: {conditions: ` +
				`[{type: Ready, status: "True", reason: AsSpecified}]}}`,
			reason: reasonDeleting, message: "it is being deleted, and waits for the removal of the finalizers f",
		},
		"nonsense": {
			kind: withStatus, object: `{status: {phase: 3, conditions: [7, {type: [Ready]}, {type: Ready, status: "False", ` +
				`observedGeneration: "x", lastTransitionTime: never}]}}`,
		},
	} {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(test.object), &object.Object))
		got := assess(test.kind, object, now)
		assert.Equal(t, []any{test.ready, test.finished, test.reason, test.message}, []any{got.ready, got.finished, got.reason, got.message},
			name)
	}
}

func TestOnlyPhaseErrorNeedsAPerson(t *testing.T) {
	assert.True(t, readiness{phase: "Error", reason: "RolesMissing"}.failed())
	assert.False(t, readiness{phase: "Pending"}.failed())
	assert.False(t, readiness{phase: "Error", ready: true}.failed())
	assert.False(t, readiness{phase: "Error", reason: reasonOutdated}.failed(), "it was mended, and the controller has not seen it yet")
}

func TestReferences(t *testing.T) {
	var spec any
	require.NoError(t, yaml.Unmarshal([]byte(`
realmRef: {name: a}
passwordSecretRef: {name: s, key: k}
clusterRefs: [{name: one}, {name: two, namespace: there}]
valuesFrom: [{secretRef: {name: v}}]
nested: {deep: {gadgetRef: {name: g}}}
targetRef: {kind: Realm, name: t}
emptyRef: {}
textRef: some text
Ref: 3
preferred: no
`), &spec))
	got := referencesIn(spec, "spec")
	assert.Equal(t, []reference{
		{field: "spec.clusterRefs[0]", word: "cluster", name: "one"},
		{field: "spec.clusterRefs[1]", word: "cluster", namespace: "there", name: "two"},
		{field: "spec.nested.deep.gadgetRef", word: "gadget", name: "g"},
		{field: "spec.passwordSecretRef", word: "passwordSecret", name: "s"},
		{field: "spec.realmRef", word: "realm", name: "a"},
		{field: "spec.targetRef", word: "target", kindName: "Realm", name: "t"},
		{field: "spec.valuesFrom[0].secretRef", word: "secret", name: "v"},
	}, got)
	assert.True(t, got[3].secret() && got[6].secret() && !got[4].secret())
	kinds := kindsIn(served[1])
	assert.Equal(t, "Realm", got[4].kindOf(withStatus, kinds).Kind)
	assert.Equal(t, "Realm", got[5].kindOf(withStatus, kinds).Kind)
	assert.Nil(t, got[0].kindOf(withStatus, kinds))
}

// TestAssess_DoesNotPanic: objects may have the form of other versions of the kinds.
func TestAssess_DoesNotPanic(t *testing.T) {
	names := rapid.SampledFrom([]string{"status", "conditions", "type", "Ready", "realmRef", "xRefs", "name", "kind",
		"observedGeneration", "phase"})
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaves := []*rapid.Generator[any]{
			rapid.Custom(func(t *rapid.T) any { return names.Draw(t, "text") }),
			rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "number") }),
			rapid.Just[any](nil),
			rapid.Just[any](true),
		}
		if depth > 0 {
			leaves = append(leaves,
				rapid.Custom(func(t *rapid.T) any { return rapid.MapOfN(names, value(depth-1), 0, 4).Draw(t, "map") }),
				rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list") }))
		}
		return rapid.OneOf(leaves...)
	}
	rapid.Check(t, func(t *rapid.T) {
		object := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "x"},
			"spec":     value(4).Draw(t, "spec"), "status": value(4).Draw(t, "status"),
		}}
		k := kindsIn(served[1])[0]
		v := newView([]*listing{{kind: k, items: []unstructured.Unstructured{*object}}}, now)
		for _, f := range causes(v) {
			if f.Reason == "" && f.Message == "" && f.title() == "" {
				t.Fatal("an empty finding")
			}
		}
	})
}
