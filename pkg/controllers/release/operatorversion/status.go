// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
)

// statusKind describes how OperatorVersions report their status.
var statusKind = base.Kind[*v1alpha1.OperatorVersion]{
	Status: func(version *v1alpha1.OperatorVersion) base.Status {
		s := &version.Status
		return base.Status{Whole: s, Conditions: &s.Conditions, ObservedGeneration: &s.ObservedGeneration}
	},
	SetPhase: func(version *v1alpha1.OperatorVersion) {
		version.Status.Phase = chartsource.PhaseOf(version.Status.Conditions)
	},
	MustAct: chartsource.MustAct,
}

// set sets a condition in the status.
var set = statusKind.Set

// setFetched records that the chart was fetched.
func setFetched(version *v1alpha1.OperatorVersion) {
	set(version, v1alpha1.ConditionChartFetched, metav1.ConditionTrue, v1alpha1.ReasonChartFetched,
		fmt.Sprintf("the chart has %s", counted(len(version.Status.CRDs))))
}

func counted(definitions int) string {
	if definitions == 1 {
		return "one CustomResourceDefinition"
	}
	return fmt.Sprintf("%d CustomResourceDefinitions", definitions)
}

// plan records the CRDs of a chart and their digests before their CRDSchemas are created. Known
// compatibility results are kept.
func plan(status *v1alpha1.OperatorVersionStatus, rendered []v1alpha1.OperatorVersionCRD) {
	for i := range rendered {
		at := slices.IndexFunc(status.CRDs, func(one v1alpha1.OperatorVersionCRD) bool { return one.Name == rendered[i].Name })
		if at >= 0 {
			rendered[i].Compatibility = status.CRDs[at].Compatibility
		}
	}
	status.CRDs = rendered
}

// planned returns the CRDs that should have CRDSchemas.
func planned(version *v1alpha1.OperatorVersion) []string {
	var names []string
	if version.Spec.CRDSource != v1alpha1.CRDSourceManual {
		for _, one := range version.Status.CRDs {
			names = append(names, one.Name)
		}
	}
	return names
}

// gather sets the results of the CRDSchemas in the status. carried contains findings that no
// CRDSchema contains.
func gather(version *v1alpha1.OperatorVersion, found []*schemas.Summary, carried []v1alpha1.Finding) {
	status := &version.Status
	byName := map[string]v1alpha1.OperatorVersionCRD{}
	if version.Spec.CRDSource != v1alpha1.CRDSourceManual {
		// The digests are those of the chart. CRDSchemas are compared with them, so they must not
		// be copied from CRDSchemas.
		for _, one := range status.CRDs {
			byName[one.Name] = v1alpha1.OperatorVersionCRD{Name: one.Name, Digest: one.Digest}
		}
	}
	findings := slices.Clone(carried)
	total := int32(len(carried))
	for _, one := range found {
		name := cmp.Or(one.CRD, strings.TrimPrefix(one.Name, version.Name+"."))
		byName[name] = v1alpha1.OperatorVersionCRD{Name: name, Digest: cmp.Or(byName[name].Digest, one.Digest), Compatibility: one.Compatibility}
		findings = append(findings, one.Findings...)
		total += one.TotalFindings
	}
	status.CRDs = nil
	for _, one := range byName {
		status.CRDs = append(status.CRDs, one)
	}
	slices.SortFunc(status.CRDs, func(a, b v1alpha1.OperatorVersionCRD) int { return cmp.Compare(a.Name, b.Name) })
	status.CRDs = status.CRDs[:min(len(status.CRDs), v1alpha1.MaxCRDs)] // a condition reports the others
	status.Findings, status.TotalFindings = worstFirst(findings), total
	if len(findings) == 0 {
		status.Findings = nil
	}
}

// carried returns the findings of a status that no CRDSchema contains: about CRDs that the chart
// does not render identically for all environments, and about CRDs that were rejected. Findings
// about removed CRDs are not included: see removed.
func carried(status *v1alpha1.OperatorVersionStatus, refused []string) []v1alpha1.Finding {
	var kept []v1alpha1.Finding
	for _, finding := range status.Findings {
		if finding.Code == codeVaries || slices.Contains(refused, finding.CRD) && !isRemoval(finding) {
			kept = append(kept, finding)
		}
	}
	return kept
}

// conclude sets the conditions from the outcome of an attempt. judged is nil if the CRDSchemas were
// not evaluated.
func conclude(version *v1alpha1.OperatorVersion, judged *judgement, blocked *base.Blocked) {
	if judged != nil {
		version.Status.Approval = judged.approval
		// The condition is set only once: a condition that changes back and forth would change its
		// lastTransitionTime with every reconciliation.
		if blocked == nil || blocked.Condition != v1alpha1.ConditionCRDsCompatible {
			set(version, v1alpha1.ConditionCRDsCompatible, judged.status, judged.reason, judged.message)
		}
	}
	switch {
	case blocked != nil:
		status := metav1.ConditionFalse
		if blocked.Unknown {
			status = metav1.ConditionUnknown
		}
		if blocked.Condition != "" {
			set(version, blocked.Condition, status, blocked.Reason, blocked.Message)
		}
		set(version, v1alpha1.ConditionReady, status, blocked.Reason, blocked.Message)
	case judged.status != metav1.ConditionTrue:
		set(version, v1alpha1.ConditionReady, judged.status, judged.reason, judged.message)
	default:
		set(version, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified,
			fmt.Sprintf("%s, all compared", counted(len(version.Status.CRDs))))
	}
	statusKind.Observed(version)
}

// report writes the status if it changed, and emits an event when the version becomes Ready, or is
// not Ready for a different reason.
func (r *reconciler) report(ctx context.Context, a *attempt) error {
	if changed, err := r.WriteChanged(ctx, a.version, a.stored); !changed {
		return err
	}
	now := meta.FindStatusCondition(a.version.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case a.first != nil && a.first.Reason == now.Reason:
	case now.Status == metav1.ConditionFalse:
		r.Warn(a.version, now.Reason, "%s", now.Message)
	case now.Status == metav1.ConditionTrue:
		r.Note(a.version, eventReady, "%s", now.Message)
	}
	return nil
}
