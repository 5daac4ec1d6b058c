// SPDX-License-Identifier: Apache-2.0

package crdschema

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// by creates a CRDSchema as a user.
func (s *store) by(user string, schema *release.CRDSchema, dry ...string) (*release.CRDSchema, error) {
	s.t.Helper()
	created, err := s.main.Create(as(s.t, user), schema, rest.ValidateAllObjectFunc, &metav1.CreateOptions{DryRun: dry})
	if err != nil {
		return nil, err
	}
	return created.(*release.CRDSchema), nil
}

// version returns a stored OperatorVersion, to change it.
func (s *store) version(version string) *release.OperatorVersion {
	return s.objects.OperatorVersions.(others)[release.OperatorVersionName("op", version)].(*release.OperatorVersion)
}

// fromChart changes versions to accepted ones whose CRDSchemas the controller creates.
func (s *store) fromChart(versions ...string) {
	for _, version := range versions {
		stored := s.version(version)
		stored.Spec.CRDSource = release.CRDSourceChart
		stored.Status.CRDs = []release.OperatorVersionCRD{{Name: "widgets.example.com", Digest: "sha256:1"}}
		stored.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionCRDsCompatible, Status: metav1.ConditionTrue,
			Reason: v1alpha1.ReasonCompatible}}
	}
}

func (s *store) mustDelete(name string) {
	s.t.Helper()
	_, _, err := s.main.Delete(as(s.t, "admin"), name, rest.ValidateAllObjectFunc, &metav1.DeleteOptions{})
	require.NoError(s.t, err)
}

func asking(schema *release.CRDSchema) *release.CRDSchema {
	schema.Annotations = map[string]string{release.RequestApprovalAnnotation: "because"}
	return schema
}

func following(schema *release.CRDSchema, name string) *release.CRDSchema {
	schema.Spec.AgainstRef = &release.LocalObjectReference{Name: name}
	return schema
}

// A user can choose neither a pending CRDSchema nor one created for this purpose as the baseline.
func TestAgainstRef_BreakingChange(t *testing.T) {
	s := newStore(t, release.BreakingRequireApproval, "1.0.0", "1.1.0", "1.2.0", "1.3.0")
	first, err := s.create(schemaOf("1.0.0", widgets(t, 5)))
	require.NoError(t, err)
	pending, err := s.create(asking(schemaOf("1.1.0", widgets(t, 4))))
	require.NoError(t, err)
	require.Equal(t, release.ApprovalPending, pending.Status.Approval)

	_, err = s.create(asking(following(schemaOf("1.2.0", widgets(t, 4)), pending.Name)))
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	require.ErrorContains(t, err, `spec.againstRef.name: Invalid value: "`+pending.Name+`": is not accepted (status.approval is "Pending")`)
	_, err = s.create(following(schemaOf("", widgets(t, 4)), pending.Name))
	require.ErrorContains(t, err, "is not accepted", "without a version as well")

	helper, err := s.create(schemaOf("", widgets(t, 1)))
	require.NoError(t, err)
	require.Equal(t, release.ApprovalNotRequired, helper.Status.Approval)
	_, err = s.create(following(schemaOf("1.3.0", widgets(t, 1)), helper.Name))
	require.ErrorContains(t, err, "[BaselineChosen B] spec.againstRef names CRDSchema by-hand, but the version follows CRDSchema "+first.Name)
	require.ErrorContains(t, err, "spec.definition[v1].spec.size", "what breaks from the baseline is shown")
	require.ErrorContains(t, err, "metadata.annotations[roadstead.dev/request-approval]: Required value")
	asked, err := s.create(asking(following(schemaOf("1.3.0", widgets(t, 1)), helper.Name)))
	require.NoError(t, err)
	require.Equal(t, release.ApprovalPending, asked.Status.Approval)
	require.Equal(t, first.Name, asked.Status.Against.Name, "the approval is bound to the change from the baseline")
	require.Contains(t, asked.Status.Conditions[0].Message, "spec.againstRef names CRDSchema by-hand, which the version does not follow")
}

func TestAgainstRef_DifferentFromTheBaseline(t *testing.T) {
	for policy, tc := range map[release.BreakingPolicy]struct {
		reason, refused string
	}{
		release.BreakingDeny: {refused: "its spec.crdPolicy.breaking is Deny"}, release.BreakingWarn: {reason: "BreakingAllowed"},
		release.BreakingRequireApproval: {reason: "AwaitingApproval"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			s := newStore(t, policy, "1.0.0", "1.1.0")
			first, err := s.create(schemaOf("1.0.0", widgets(t, 5)))
			require.NoError(t, err)
			other, err := s.create(schemaOf("", widgets(t, 5)))
			require.NoError(t, err)
			created, err := s.create(asking(following(schemaOf("1.1.0", widgets(t, 5)), other.Name)))
			if tc.refused != "" {
				require.ErrorContains(t, err, tc.refused)
			} else {
				require.NoError(t, err)
				require.Equal(t, tc.reason, created.Status.Conditions[0].Reason)
				require.Equal(t, crdpolicy.CodeBaselineChosen, created.Status.Findings[0].Code)
				s.mustDelete(created.Name)
			}
			same, err := s.create(following(schemaOf("1.1.0", widgets(t, 5)), first.Name))
			require.NoError(t, err, "the baseline itself may be named")
			require.Equal(t, "Compatible", same.Status.Conditions[0].Reason)
		})
	}
}

// A breaking change needs an approval also if its baseline was deleted or replaced.
func TestEvidence_LostBaseline(t *testing.T) {
	const name = "op-1.1.0.widgets.example.com"
	for policy, refused := range map[release.BreakingPolicy]string{
		release.BreakingDeny:            "its spec.crdPolicy.breaking is Deny",
		release.BreakingRequireApproval: "metadata.annotations[roadstead.dev/request-approval]: Required value",
	} {
		t.Run(string(policy), func(t *testing.T) {
			s := newStore(t, policy, "1.1.0", "1.2.0")
			s.fromChart("1.1.0", "1.2.0")
			s.version("1.2.0").Status.CRDs = nil
			next := schemaOf("1.2.0", widgets(t, 4))
			requireLost := func(what string) {
				t.Helper()
				_, err := s.by(controller, next.DeepCopy())
				require.ErrorContains(t, err, "[BaselineLost B] the CRD of OperatorVersion op-1.1.0 is unknown: CRDSchema "+name+
					" does not exist", what)
				require.ErrorContains(t, err, refused, what)
			}
			requireLost("missing")
			squatter := schemaOf("", widgets(t, 4))
			squatter.Name = name
			_, err := s.by("ann", squatter)
			require.NoError(t, err)
			requireLost("of no version")
			if policy == release.BreakingRequireApproval {
				created, err := s.by(controller, asking(next.DeepCopy()))
				require.NoError(t, err)
				require.Equal(t, release.ApprovalPending, created.Status.Approval)
				require.Nil(t, created.Status.Against)
				require.Contains(t, created.Status.Conditions[0].Message,
					"the accepted CRDSchema of OperatorVersion op-1.1.0 is missing or not trusted")
				s.mustDelete(created.Name)
			}
			s.mustDelete(name)
			_, err = s.by(controller, schemaOf("1.1.0", widgets(t, 4)))
			require.NoError(t, err)
			created, err := s.by(controller, next)
			require.NoError(t, err, "the controller created it again")
			require.Equal(t, name, created.Status.Against.Name)
		})
	}
}

func TestEvidence_ARefusedVersionIsPassedOver(t *testing.T) {
	s := newStore(t, release.BreakingDeny, "1.0.0", "1.1.0", "1.2.0")
	s.fromChart("1.0.0", "1.1.0", "1.2.0")
	s.version("1.1.0").Status.Conditions[0].Reason = v1alpha1.ReasonBreakingRefused // no CRDSchema was ever stored
	first, err := s.by(controller, schemaOf("1.0.0", widgets(t, 5)))
	require.NoError(t, err)
	fixed, err := s.by(controller, schemaOf("1.2.0", widgets(t, 5)))
	require.NoError(t, err)
	require.Equal(t, first.Name, fixed.Status.Against.Name)
}

func TestChartVersions_OnlyTheControllerCreatesTheirCRDSchemas(t *testing.T) {
	s := newStore(t, release.BreakingRequireApproval, "1.0.0")
	s.fromChart("1.0.0")
	for _, user := range []string{"ann", "system:admin", "system:serviceaccount:other:roadstead-controller"} {
		_, err := s.by(user, schemaOf("1.0.0", widgets(t, 5)))
		require.True(t, apierrors.IsInvalid(err), "%s: %v", user, err)
		require.ErrorContains(t, err, "spec.operatorVersionRef.name: Forbidden: CRDSchemas of OperatorVersion op-1.0.0 are created by "+
			"the controller from the chart")
		require.ErrorContains(t, err, "spec.crdSource: Manual")
	}
	created, err := s.by(controller, schemaOf("1.0.0", widgets(t, 5)))
	require.NoError(t, err)
	require.Equal(t, controller, created.Status.CreatedBy)
}

func TestRequester(t *testing.T) {
	discovered := release.OperatorVersionStatus{CreatedBy: controller, RequestedBy: "olga"}
	for name, tc := range map[string]struct {
		caller  string
		version *release.OperatorVersionStatus
		want    string
	}{
		"a user":                           {"ann", &release.OperatorVersionStatus{CreatedBy: "vera", RequestedBy: "vera"}, "ann"},
		"a user, without a version":        {"ann", nil, "ann"},
		"the controller":                   {controller, &release.OperatorVersionStatus{CreatedBy: "vera", RequestedBy: "vera"}, "vera"},
		"the controller, discovered":       {controller, &discovered, "olga"},
		"a version of an earlier release":  {controller, &release.OperatorVersionStatus{CreatedBy: "vera"}, "vera"},
		"discovered by an earlier release": {controller, &release.OperatorVersionStatus{CreatedBy: controller}, ""},
		"the controller, without version":  {controller, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			known := facts{caller: tc.caller, controllerUser: controller}
			if tc.version != nil {
				known.version = &release.OperatorVersion{Status: *tc.version}
			}
			require.Equal(t, tc.want, known.requester())
		})
	}
}

func TestRequester_IsStampedForGood(t *testing.T) {
	s := newStore(t, release.BreakingDeny, "1.0.0")
	s.version("1.0.0").Status = release.OperatorVersionStatus{CreatedBy: controller, RequestedBy: "olga"}
	forged := schemaOf("1.0.0", widgets(t, 5))
	forged.Status.RequestedBy = "forged"
	created, err := s.by(controller, forged)
	require.NoError(t, err)
	require.Equal(t, "olga", created.Status.RequestedBy)
	changed := created.DeepCopy()
	changed.Status.RequestedBy = "forged"
	updated, _, err := s.status.Update(as(t, controller), created.Name, rest.DefaultUpdatedObjectInfo(changed), rest.ValidateAllObjectFunc,
		rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, "olga", updated.(*release.CRDSchema).Status.RequestedBy)
}

// The first version of a second Operator is compared with the CRDs of the first Operator.
func TestBaseline_OfAnotherOperator(t *testing.T) {
	s := newStore(t, release.BreakingRequireApproval, "1.0.0")
	s.fromChart("1.0.0")
	first, err := s.by(controller, schemaOf("1.0.0", widgets(t, 5)))
	require.NoError(t, err)
	second := versionOf("0.1.0")
	second.Name, second.Spec.OperatorRef.Name, second.Spec.CRDSource = "second-0.1.0", "second", release.CRDSourceChart
	s.objects.OperatorVersions.(others)[second.Name] = second

	breaking := schemaOf("0.1.0", widgets(t, 4))
	breaking.Name, breaking.Spec.OperatorVersionRef.Name = "second-0.1.0.widgets.example.com", second.Name
	_, err = s.by(controller, breaking.DeepCopy())
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	pending, err := s.by(controller, asking(breaking))
	require.NoError(t, err)
	require.Equal(t, release.ApprovalPending, pending.Status.Approval)
	require.Equal(t, first.Name, pending.Status.Against.Name)
}
