// SPDX-License-Identifier: Apache-2.0

package compatibilityreview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/install"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// manifest returns a CRD with a maximum length of a field.
func manifest(plural string, longest int) runtime.RawExtension {
	return runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
	  "metadata":{"name":"%[1]s.example.com"},
		"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"%[1]s","singular":"widget","kind":"Widget","listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
		  "properties":{"name":{"type":"string","maxLength":%[2]d}}}}}]}}`, plural, longest)}
}

type schemas map[string]*release.CRDSchema

func (s schemas) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	if found, ok := s[name]; ok {
		return found, nil
	}
	return nil, apierrors.NewNotFound(release.Resource("crdschemas"), name)
}

func ask(t *testing.T, spec release.CompatibilityReviewSpec, validate func(context.Context,
	runtime.Object) error) (*release.CompatibilityReview, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	install.Install(scheme)
	stored := &release.CRDSchema{}
	stored.Spec.Definition = manifest("widgets", 100)
	rest := NewREST(scheme, &lookup.Objects{CRDSchemas: schemas{"stored": stored}})
	ctx := request.WithRequestInfo(t.Context(), &request.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: v1alpha1.GroupName, APIVersion: v1alpha1.SchemeGroupVersion.Version,
		Resource: "compatibilityreviews",
	})
	answer, err := rest.Create(ctx, &release.CompatibilityReview{Spec: spec, Status: release.CompatibilityReviewStatus{Verdict: "forged"}},
		validate, &metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return answer.(*release.CompatibilityReview), nil
}

func raw(definition runtime.RawExtension) *runtime.RawExtension { return &definition }

// impossible stands for a change that every API server refuses: of the scope.
const impossible = 0

func TestWhatAChangeNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		longest          int
		policy           release.BreakingPolicy
		verdict          release.Compatibility
		allowed, approve bool
	}{
		"harmless, under Deny":            {200, release.BreakingDeny, "S", true, false},
		"harmless":                        {200, release.BreakingRequireApproval, "S", true, false},
		"nothing":                         {100, release.BreakingRequireApproval, "I", true, false},
		"breaking, under Deny":            {10, release.BreakingDeny, "B", false, false},
		"breaking, under RequireApproval": {10, release.BreakingRequireApproval, "B", true, true},
		"breaking, under Warn":            {10, release.BreakingWarn, "B", true, false},
		"breaking, by default":            {10, "", "B", true, true},
		"impossible, under Warn":          {impossible, release.BreakingWarn, "X", false, false},
	} {
		for from, old := range map[string]release.CompatibilityReviewSpec{
			"old":    {Old: raw(manifest("widgets", 100))},
			"oldRef": {OldRef: &release.LocalObjectReference{Name: "stored"}},
		} {
			old.New, old.Policy = manifest("widgets", c.longest), c.policy
			if c.longest == impossible {
				old.New.Raw = []byte(strings.Replace(string(old.New.Raw), "Namespaced", "Cluster", 1))
			}
			answer, err := ask(t, old, nil)
			require.NoError(t, err, "%s from %s", name, from)
			status := answer.Status
			assert.Equal(t, c.verdict, status.Verdict, "%s from %s: %v", name, from, status.Findings)
			assert.Equal(t, c.allowed, status.Allowed, "%s from %s", name, from)
			assert.Equal(t, c.approve, status.RequiresApproval, "%s from %s", name, from)
			assert.Contains(t, status.Digest, "sha256:", name)
			assert.EqualValues(t, len(status.Findings), status.TotalFindings, name)
			assert.Equal(t, c.longest == 100, len(status.Findings) == 0, name)
		}
	}
}

func TestCreate_InvalidReview(t *testing.T) {
	widgets := manifest("widgets", 100)
	for name, c := range map[string]struct {
		spec release.CompatibilityReviewSpec
		path string
		says string
	}{
		"nothing old": {release.CompatibilityReviewSpec{New: widgets}, "spec.old", "exactly one"},
		"two old": {release.CompatibilityReviewSpec{Old: &widgets, OldRef: &release.LocalObjectReference{Name: "stored"}, New: widgets},
			"spec.old", "exactly one"},
		"unknown": {release.CompatibilityReviewSpec{OldRef: &release.LocalObjectReference{Name: "other"}, New: widgets},
			"spec.oldRef.name", "Not found"},
		"nameless":    {release.CompatibilityReviewSpec{OldRef: &release.LocalObjectReference{}, New: widgets}, "spec.oldRef.name", "Required"},
		"nothing new": {release.CompatibilityReviewSpec{Old: &widgets}, "spec.new", "Required"},
		"another": {release.CompatibilityReviewSpec{Old: &widgets, New: manifest("gadgets", 100)}, "spec.new.metadata.name",
			`must be "widgets.example.com"`},
		"no definition": {release.CompatibilityReviewSpec{Old: &widgets,
			New: runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"Secret"}`)}}, "spec.new", "must be a CustomResourceDefinition"},
		"no old one": {release.CompatibilityReviewSpec{Old: &runtime.RawExtension{Raw: []byte(`[]`)}, New: widgets},
			"spec.old", "must be the manifest"},
		"too large": {release.CompatibilityReviewSpec{Old: &widgets, New: runtime.RawExtension{Raw: []byte(strings.Repeat(" ", maxDefinition+
			1))}}, "spec.new", "3145728"},
		"a policy": {release.CompatibilityReviewSpec{Old: &widgets, New: widgets, Policy: "Maybe"}, "spec.policy", "Unsupported value"},
	} {
		_, err := ask(t, c.spec, nil)
		require.True(t, apierrors.IsInvalid(err), "%s: %v", name, err)
		var status *apierrors.StatusError
		require.ErrorAs(t, err, &status)
		assert.Equal(t, c.path, status.ErrStatus.Details.Causes[0].Field, name)
		assert.Contains(t, status.ErrStatus.Details.Causes[0].Message, c.says, name)
	}
}

func TestPoliciesOfTheClusterHaveTheirSay(t *testing.T) {
	policy := errors.New("not today")
	_, err := ask(t, release.CompatibilityReviewSpec{OldRef: &release.LocalObjectReference{Name: "stored"}, New: manifest("widgets", 1)},
		func(_ context.Context, obj runtime.Object) error {
			assert.Empty(t, obj.(*release.CompatibilityReview).Status, "what the client wrote as an answer is gone")
			return policy
		})
	assert.ErrorIs(t, err, policy)
}

// The size of a response is bounded, however many findings there are.
func TestAnswersAreBounded(t *testing.T) {
	properties := func(required string) runtime.RawExtension {
		many := map[string]any{}
		for i := range 1500 {
			many[fmt.Sprintf("field-%04d", i)] = map[string]any{"type": required}
		}
		var definition map[string]any
		require.NoError(t, json.Unmarshal(manifest("widgets", 1).Raw, &definition))
		version := definition["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"] = many
		encoded, err := json.Marshal(definition)
		require.NoError(t, err)
		return runtime.RawExtension{Raw: encoded}
	}
	answer, err := ask(t, release.CompatibilityReviewSpec{Old: raw(properties("string")), New: properties("integer")}, nil)
	require.NoError(t, err)
	assert.Len(t, answer.Status.Findings, maxFindings)
	assert.GreaterOrEqual(t, answer.Status.TotalFindings, int32(1500))
}

func TestTable(t *testing.T) {
	printed, err := table{}.ConvertToTable(t.Context(), &release.CompatibilityReview{Status: release.CompatibilityReviewStatus{Verdict: "B!",
		TotalFindings: 3}}, nil)
	require.NoError(t, err)
	assert.Equal(t, []any{"B!", false, false, int32(3), ""}, printed.Rows[0].Cells)
	assert.Len(t, printed.ColumnDefinitions, 5)
	_, err = table{}.ConvertToTable(t.Context(), &release.CRDSchema{}, nil)
	assert.Error(t, err)
}
