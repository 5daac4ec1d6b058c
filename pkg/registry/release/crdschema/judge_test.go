// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

func TestJudge(t *testing.T) {
	before := schemaOf("1.0.0", widgets(t, 5))
	before.UID = types.UID("before-uid")
	scope := func(d *apiextensionsv1.CustomResourceDefinition) { d.Spec.Scope = apiextensionsv1.ClusterScoped }
	asks := map[string]string{release.RequestApprovalAnnotation: "because"}
	for name, tc := range map[string]struct {
		definition  runtime.RawExtension
		policy      release.BreakingPolicy
		annotations map[string]string
		reason      string
		approval    release.ApprovalState
		phase       release.Phase
		errs        []string
		warnings    []string
	}{
		"harmless under Deny": {definition: widgets(t, 6), policy: "Deny", reason: "Compatible", approval: "NotRequired", phase: "Ready"},
		"the same":            {definition: widgets(t, 5), policy: "Deny", reason: "Compatible", approval: "NotRequired", phase: "Ready"},
		"breaking under Warn": {definition: widgets(t, 4), policy: "Warn", reason: "BreakingAllowed", approval: "NotRequired",
			phase: "Ready", warnings: []string{"spec.versions[v1].schema.spec.size: [CRD-408 B]"}},
		"breaking under Deny": {definition: widgets(t, 4), policy: "Deny", errs: []string{"spec.definition[v1].spec.size: CRD-",
			`spec.definition: Operator "op" does not allow breaking changes: its spec.crdPolicy.breaking is Deny`}},
		"asking under Deny": {definition: widgets(t, 4), policy: "Deny", annotations: asks,
			errs: []string{"spec.definition[v1].spec.size: CRD-", "spec.definition: Operator"}},
		"breaking, not asking": {definition: widgets(t, 4), policy: "RequireApproval", errs: []string{"spec.definition[v1].spec.size: B]",
			`metadata.annotations[roadstead.dev/request-approval]: To request one, set the annotation roadstead.dev/request-approval: "<why`}},
		"an empty reason": {definition: widgets(t, 4), policy: "RequireApproval",
			annotations: map[string]string{release.RequestApprovalAnnotation: " "}, errs: []string{"spec.definition[v1].spec.size: B]",
				"metadata.annotations[roadstead.dev/request-approval]: To request"}},
		"breaking and asking": {definition: widgets(t, 4), policy: "RequireApproval", annotations: asks, reason: "AwaitingApproval",
			approval: "Pending", phase: "AwaitingApproval", warnings: []string{"spec.versions[v1].schema.spec.size: [CRD-408 B]",
				"must not be rolled out until it is approved"}},
		"refused by the server": {definition: widgets(t, 5, scope), policy: "Warn", annotations: asks,
			errs: []string{"spec.definition.spec.scope: X]"}},
		"asking without any need": {definition: widgets(t, 6), policy: "RequireApproval", annotations: asks, reason: "Compatible",
			approval: "NotRequired", phase: "Ready"},
	} {
		t.Run(name, func(t *testing.T) {
			schema := schemaOf("1.1.0", tc.definition)
			schema.Annotations = tc.annotations
			judged := judge(schema, facts{definition: decoded(t, tc.definition), version: versionOf("1.1.0"), operator: operatorWith(tc.policy),
				baseline: sideOf(t, before)})
			requireErrors(t, tc.errs, judged.errs)
			if tc.errs != nil {
				return
			}
			requireReady(t, judged, tc.reason)
			require.Equal(t, tc.approval, judged.status.Approval)
			require.Equal(t, tc.phase, judged.status.Phase)
			require.Equal(t, &release.CRDSchemaBaseline{
				Name: before.Name, UID: "before-uid", Digest: compare.Digest(nil, decoded(t, before.Spec.Definition)),
				Change: compare.Digest(decoded(t, before.Spec.Definition), decoded(t, tc.definition)),
			}, judged.status.Against)
			require.Equal(t, "widgets.example.com", judged.status.CRD)
			require.Equal(t, compare.Digest(nil, decoded(t, tc.definition)), judged.status.Digest)
			require.NotEmpty(t, judged.status.Compatibility)
			require.Len(t, judged.warnings, len(tc.warnings), judged.warnings)
			for i, says := range tc.warnings {
				require.Contains(t, judged.warnings[i], says)
			}
		})
	}
}

func TestJudge_MissingObjects(t *testing.T) {
	old, new := widgets(t, 5), widgets(t, 4)
	before := schemaOf("", old)
	known := facts{definition: decoded(t, new), named: sideOf(t, before)}
	const missingVersion = `spec.operatorVersionRef.name: OperatorVersion "op-1.1.0" does not exist; until it is created, a breaking ` +
		`change needs an approval`
	const missingOperator = `spec.operatorVersionRef.name: Operator "op" of OperatorVersion "op-1.1.0" does not exist; until it ` +
		`is created, a breaking change needs an approval`
	follows := func(version string, asks bool) *release.CRDSchema {
		schema := schemaOf(version, new)
		schema.Spec.AgainstRef = &release.LocalObjectReference{Name: before.Name}
		if asks {
			schema.Annotations = map[string]string{release.RequestApprovalAnnotation: "because"}
		}
		return schema
	}
	judged := judge(follows("", false), known)
	requireErrors(t, []string{"spec.definition[v1].spec.size: B]", "metadata.annotations[roadstead.dev/request-approval]: To request"},
		judged.errs)
	require.Empty(t, judged.warnings, "no version is named, so none is missing")

	judged = judge(follows("1.1.0", true), known)
	require.Equal(t, []string{missingVersion}, judged.warnings)
	requireReady(t, judged, "OperatorVersionNotFound")
	require.Empty(t, judged.status.Approval, "what spec.againstRef names does not take the place of what the version follows")
	require.Nil(t, judged.status.Against)

	known.version = versionOf("1.1.0")
	require.Equal(t, missingOperator, judge(follows("1.1.0", true), known).warnings[0])

	alone := judge(schemaOf("1.1.0", new), facts{definition: decoded(t, new)})
	require.Equal(t, []string{missingVersion}, alone.warnings)
	requireReady(t, alone, "OperatorVersionNotFound")
	require.Equal(t, release.PhasePending, alone.status.Phase)
	require.Empty(t, alone.status.Compatibility)
	require.Empty(t, alone.status.Approval, "nobody knows yet whether it needs one")

	first := judge(schemaOf("1.1.0", new), facts{definition: decoded(t, new), version: versionOf("1.1.0"), operator: operatorWith("Deny")})
	requireReady(t, first, "NothingToCompare")
	require.Empty(t, first.warnings)
	require.Nil(t, first.status.Against)
	require.Equal(t, release.ApprovalNotRequired, first.status.Approval)
	requireReady(t, judge(schemaOf("", new), facts{definition: decoded(t, new)}), "NothingToCompare")
}

func TestTheNamedBaselineMustFit(t *testing.T) {
	schema := schemaOf("", widgets(t, 5))
	schema.Spec.AgainstRef = &release.LocalObjectReference{Name: "before"}
	known := facts{definition: decoded(t, schema.Spec.Definition)}
	requireErrors(t, []string{`spec.againstRef.name: Not found: "before"`}, judge(schema, known).errs)
	known.named = sideOf(t, schemaOf("", widgets(t, 5, gadgets)))
	requireErrors(t, []string{"spec.againstRef.name: contains CRD gadgets.example.com, which CRD widgets.example.com cannot be compared with"},
		judge(schema, known).errs)
	for _, approval := range []string{"", "Pending", "Rejected"} {
		known.named = sideOf(t, schemaOf("", widgets(t, 5)))
		known.named.Approval = approval
		requireErrors(t, []string{`spec.againstRef.name: is not accepted (status.approval is "` + approval + `")`}, judge(schema, known).errs)
	}
}

func TestManyFindings(t *testing.T) {
	old, new := widgets(t, 5, wide(120, 10)), widgets(t, 5, wide(120, 9))
	schema := schemaOf("1.1.0", new)
	known := facts{definition: decoded(t, new), version: versionOf("1.1.0"), operator: operatorWith("RequireApproval"),
		baseline: sideOf(t, schemaOf("1.0.0", old))}
	refused := judge(schema, known)
	require.Len(t, refused.errs, 102)
	require.Contains(t, refused.errs[100].Error(), "and 20 more")
	schema.Annotations = map[string]string{release.RequestApprovalAnnotation: "because"}
	stored := judge(schema, known)
	require.Len(t, stored.status.Findings, 50)
	require.EqualValues(t, 120, stored.status.TotalFindings)
	require.Len(t, stored.warnings, 14, "twelve findings, how many more, and what follows")
}

func TestASchemaWithoutADigestIsRefused(t *testing.T) {
	definition := decoded(t, widgets(t, 5))
	deep := apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range 2000 {
		deep = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"f": deep}}
	}
	definition.Spec.Versions[0].Schema.OpenAPIV3Schema = &deep
	requireErrors(t, []string{"spec.definition: nested too deeply"}, judge(schemaOf("", widgets(t, 5)), facts{definition: definition}).errs)
}

// requireErrors compares errors with lines of the form "path: part of the message".
func requireErrors(t *testing.T, want []string, errs field.ErrorList) {
	t.Helper()
	require.Len(t, errs, len(want), "%v", errs)
	for i, line := range want {
		path, says, _ := strings.Cut(line, ": ")
		require.Equal(t, path, errs[i].Field)
		require.Contains(t, errs[i].Error(), says)
	}
}

func requireReady(t *testing.T, judged judgement, reason string) {
	t.Helper()
	require.Empty(t, judged.errs)
	require.Len(t, judged.status.Conditions, 1)
	ready := judged.status.Conditions[0]
	require.Equal(t, "Ready", ready.Type)
	require.Equal(t, reason, ready.Reason)
	require.Equal(t, reason != "AwaitingApproval" && reason != "OperatorVersionNotFound", ready.Status == metav1.ConditionTrue)
	require.NotEmpty(t, ready.Message)
}
