// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

func TestJudge(t *testing.T) {
	schema := func(approval v1alpha1.ApprovalState, compatibility v1alpha1.Compatibility) *schemas.Summary {
		return &schemas.Summary{Name: "s", CRD: "widgets.example.com", Observed: true, Approval: approval, Compatibility: compatibility}
	}
	none, fine := schema(v1alpha1.ApprovalNotRequired, ""), schema(v1alpha1.ApprovalNotRequired, "S")
	pending, approved, rejected := schema(v1alpha1.ApprovalPending, "B"), schema(v1alpha1.ApprovalApproved, "B!"),
		schema(v1alpha1.ApprovalRejected, "B")
	expired := schema(v1alpha1.ApprovalRejected, "B")
	expired.Reason = v1alpha1.ReasonExpired
	for _, test := range []struct {
		name     string
		found    []*schemas.Summary
		refused  []string
		wide     chartwide
		approval v1alpha1.ApprovalState
		want     string
	}{
		{"nothing", nil, nil, chartwide{}, v1alpha1.ApprovalNotRequired, "True NothingToCompare"},
		{"the first version", []*schemas.Summary{none}, nil, chartwide{}, v1alpha1.ApprovalNotRequired, "True NothingToCompare"},
		{"compatible", []*schemas.Summary{none, fine}, nil, chartwide{}, v1alpha1.ApprovalNotRequired, "True Compatible"},
		{"allowed by policy", []*schemas.Summary{fine, schema(v1alpha1.ApprovalNotRequired, "B")}, nil, chartwide{},
			v1alpha1.ApprovalNotRequired, "True BreakingAllowed"},
		{"not compared yet", []*schemas.Summary{fine, {Name: "new"}, pending}, nil, chartwide{}, v1alpha1.ApprovalPending, "Unknown Reconciling"},
		{"pending", []*schemas.Summary{fine, approved, pending}, nil, chartwide{}, v1alpha1.ApprovalPending, "False AwaitingApproval"},
		{"approved", []*schemas.Summary{fine, approved}, nil, chartwide{}, v1alpha1.ApprovalApproved, "True Approved"},
		{"rejected", []*schemas.Summary{approved, pending, rejected}, nil, chartwide{}, v1alpha1.ApprovalRejected, "False Rejected"},
		{"expired", []*schemas.Summary{expired}, nil, chartwide{}, v1alpha1.ApprovalRejected, "False Expired"},
		{"not judged yet", []*schemas.Summary{fine, schema("", "")}, nil, chartwide{}, v1alpha1.ApprovalNotRequired, "Unknown Reconciling"},
		{"a removal is refused", []*schemas.Summary{fine, pending}, nil, chartwide{refused: []string{"a"}}, v1alpha1.ApprovalPending,
			"False BreakingRefused"},
		{"a removal is allowed", []*schemas.Summary{fine}, nil, chartwide{allowed: true}, v1alpha1.ApprovalNotRequired, "True BreakingAllowed"},
		{"refused", []*schemas.Summary{rejected}, []string{"widgets.example.com"}, chartwide{}, v1alpha1.ApprovalRejected,
			"False BreakingRefused"},
	} {
		got := judge(test.found, test.refused, test.wide)
		assert.Equal(t, test.want, string(got.status)+" "+got.reason, test.name)
		assert.Equal(t, test.approval, got.approval, test.name)
		assert.NotEmpty(t, got.message, test.name)
	}
}

func TestSettled(t *testing.T) {
	ready := func(status metav1.ConditionStatus, reason string) *v1alpha1.OperatorVersion {
		made := &v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Generation: 1}}
		made.Status.ObservedGeneration = 1
		made.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: status, Reason: reason}}
		return made
	}
	old := ready("True", v1alpha1.ReasonAsSpecified)
	old.Generation = 2
	for want, versions := range map[bool][]*v1alpha1.OperatorVersion{
		true: {ready("True", v1alpha1.ReasonAsSpecified), ready("False", v1alpha1.ReasonAwaitingApproval),
			ready("False", v1alpha1.ReasonChartNotFound)},
		false: {{}, old, ready("Unknown", v1alpha1.ReasonReconciling), ready("False", v1alpha1.ReasonRepositoryUnavailable),
			ready("False", v1alpha1.ReasonRequestFailed)},
	} {
		for i, version := range versions {
			assert.Equal(t, want, settled(version), "%v %d", want, i)
		}
	}
}

func TestWhichVersionComesFirst(t *testing.T) {
	version := func(number string, change ...func(*v1alpha1.OperatorVersion)) v1alpha1.OperatorVersion {
		made := v1alpha1.OperatorVersion{ObjectMeta: metav1.ObjectMeta{Name: "w-" + number}, Spec: v1alpha1.OperatorVersionSpec{Version: number}}
		for _, one := range change {
			one(&made)
		}
		return made
	}
	own := version("2.0.0")
	assert.Empty(t, ahead(&own, nil))
	assert.Empty(t, ahead(&own, []v1alpha1.OperatorVersion{version("3.0.0"), version("v2.0.0")}), "higher, and the same")
	assert.Equal(t, "w-1.10.0", ahead(&own, []v1alpha1.OperatorVersion{version("1.9.0"), version("1.10.0"), version("3.0.0")}))
	now := metav1.Now()
	assert.Empty(t, ahead(&own, []v1alpha1.OperatorVersion{
		version("1.0.0", func(v *v1alpha1.OperatorVersion) { v.DeletionTimestamp = &now }),
		version("1.1.0", func(v *v1alpha1.OperatorVersion) { v.Spec.CRDSource = v1alpha1.CRDSourceManual }),
	}))
}

func TestFindingsOfARefusal(t *testing.T) {
	err := fmt.Errorf("wrapped: %w", breaking("x", "Forbidden: [CRD-101 B!] gone. Instead: Keep it.", "[S10 X] refused.", "and 7 more",
		"Forbidden: not a finding"))
	found := findingsOf("widgets.example.com", err)
	require.Len(t, found, 2)
	assert.Equal(t, v1alpha1.Finding{CRD: "widgets.example.com", Code: "S10", Verdict: "X", Version: "v1", Path: "spec.size",
		Message: "refused."}, found[1])
	assert.Equal(t, [2]string{"gone.", "Keep it."}, [2]string{found[0].Message, found[0].Hint})
	earlier := findingsOf("widgets.example.com", breaking("x", "Forbidden: CRD-101 (B!): gone. Instead: Keep it.", "S10 (X): refused."))
	assert.Equal(t, found, earlier, "an API server of an earlier release")
	assert.Empty(t, findingsOf("x", errors.New("no status")))
	long := findingsOf("x", breaking("x", "Forbidden: [CRD-101 B] "+strings.Repeat("ä", 5000)))
	assert.Equal(t, crdpolicy.MaxMessage, utf8.RuneCountInString(long[0].Message), "longer texts would be refused in a status")
	for field, want := range map[string][2]string{
		"spec.definition[v1].spec.list[*].name": {"v1", "spec.list[*].name"}, "spec.definition.spec.names.kind": {"", "spec.names.kind"},
		"spec.definition": {"", ""}, "metadata.name": {"", "metadata.name"},
	} {
		version, path := placeOf(metav1.StatusCause{Field: field})
		assert.Equal(t, want, [2]string{version, path}, field)
	}
}

func TestUnion(t *testing.T) {
	crd := func(name, kind string) sets.Member {
		made := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
		made.Spec.Names.Kind = kind
		return sets.Member{CRD: made}
	}
	definitions, findings := union([]rendering{
		{"base", []sets.Member{crd("b", "B"), crd("b", "B"), crd("a", "A")}},
		{"dev", []sets.Member{crd("a", "Other"), crd("b", "B"), crd("c", "C")}},
		{"prod", []sets.Member{crd("a", "Third"), crd("b", "B")}},
	})
	var names []string
	for _, one := range definitions {
		names = append(names, one.CRD.Name+one.CRD.Spec.Names.Kind)
	}
	assert.Equal(t, []string{"aA", "bB", "cC"}, names, "the first rendering that has one gives it")
	require.Len(t, findings, 2)
	assert.Contains(t, findings[0].Message, "with dev, prod differently than with base")
	assert.Contains(t, findings[1].Message, "with dev, and not with base, prod")
	assert.Equal(t, v1alpha1.Compatibility("B!"), findings[0].Verdict,
		"another kind is refused in place, and both forms are for different clusters")
	assert.Equal(t, v1alpha1.Compatibility("I"), findings[1].Verdict)
	definitions, findings = union([]rendering{{with: "base"}})
	assert.Empty(t, definitions)
	assert.Empty(t, findings)
}

func TestFindingsAreBounded(t *testing.T) {
	version := &v1alpha1.OperatorVersion{}
	summary := &schemas.Summary{Name: ".w", CRD: "w", TotalFindings: 90}
	for range 50 {
		summary.Findings = append(summary.Findings, v1alpha1.Finding{Verdict: "R"})
	}
	gather(version, []*schemas.Summary{summary}, []v1alpha1.Finding{{Verdict: "B", Code: "x"}})
	assert.Len(t, version.Status.Findings, v1alpha1.MaxFindings)
	assert.Equal(t, "x", version.Status.Findings[0].Code, "the worst first")
	assert.Equal(t, int32(91), version.Status.TotalFindings)
	assert.Equal(t, "a, b, c, d, e and 1 more", some([]string{"a", "b", "c", "d", "e", "f"}))
}
