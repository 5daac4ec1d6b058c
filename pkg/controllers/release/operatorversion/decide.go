// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/semver"
)

// judgement is the combined result of the CRDSchemas of a version.
type judgement struct {
	approval        v1alpha1.ApprovalState
	status          metav1.ConditionStatus
	reason, message string
}

// judge is a pure function of the CRDSchemas, of the CRDs that the API server rejected as breaking,
// and of the findings about all CRDs together. The result that most needs a user's attention takes
// precedence.
func judge(found []*schemas.Summary, refused []string, wide chartwide) judgement {
	approval := approvalOf(found)
	says := func(status metav1.ConditionStatus, reason, format string, args ...any) judgement {
		return judgement{approval: approval, status: status, reason: reason, message: fmt.Sprintf(format, args...)}
	}
	of := func(state v1alpha1.ApprovalState) (string, *schemas.Summary) { return named(found, state) }
	rejected, first := of(v1alpha1.ApprovalRejected)
	pending, _ := of(v1alpha1.ApprovalPending)
	approved, _ := of(v1alpha1.ApprovalApproved)
	unobserved := slices.IndexFunc(found, func(one *schemas.Summary) bool { return !one.Observed || one.Approval == "" })
	breaks := slices.IndexFunc(found, func(one *schemas.Summary) bool { return rules.Verdict(one.Compatibility).Breaks() })
	compared := slices.ContainsFunc(found, func(one *schemas.Summary) bool { return one.Compatibility != "" })
	switch {
	case len(refused) > 0:
		return says(metav1.ConditionFalse, v1alpha1.ReasonBreakingRefused,
			"the change of %s is refused: see status.findings. Create a version of the chart without the change, "+
				"or change spec.crdPolicy of the Operator", some(refused))
	case len(wide.refused) > 0:
		return says(metav1.ConditionFalse, v1alpha1.ReasonBreakingRefused, "%s", wide.message())
	case first != nil:
		return says(metav1.ConditionFalse, rejectionOf(first), "the breaking change of %s was not approved", rejected)
	case unobserved >= 0:
		return says(metav1.ConditionUnknown, v1alpha1.ReasonReconciling, "CRDSchema %s is not compared yet", found[unobserved].Name)
	case pending != "":
		return says(metav1.ConditionFalse, v1alpha1.ReasonAwaitingApproval,
			"the breaking change of %s waits for a decision: kubectl get approvals --field-selector status.decision=Pending", pending)
	case approved != "":
		return says(metav1.ConditionTrue, v1alpha1.ReasonApproved, "the breaking change of %s was approved", approved)
	case breaks >= 0 || wide.allowed:
		return says(metav1.ConditionTrue, v1alpha1.ReasonBreakingAllowed,
			"the change breaks something, which spec.crdPolicy of the Operator allows: see status.findings")
	case !compared:
		return says(metav1.ConditionTrue, v1alpha1.ReasonNothingToCompare, "there is no earlier definition to compare with")
	}
	return says(metav1.ConditionTrue, v1alpha1.ReasonCompatible, "the change from the version before breaks nothing")
}

// approvalOf returns the combined approval state.
func approvalOf(found []*schemas.Summary) v1alpha1.ApprovalState {
	for _, state := range []v1alpha1.ApprovalState{v1alpha1.ApprovalRejected, v1alpha1.ApprovalPending, v1alpha1.ApprovalApproved} {
		if _, first := named(found, state); first != nil {
			return state
		}
	}
	return v1alpha1.ApprovalNotRequired
}

// named describes which CRDs are in a state, and returns the first one.
func named(found []*schemas.Summary, state v1alpha1.ApprovalState) (string, *schemas.Summary) {
	var names []string
	var first *schemas.Summary
	for _, one := range found {
		if one.Approval == state {
			names = append(names, one.CRD)
			if first == nil {
				first = one
			}
		}
	}
	return some(names), first
}

// rejectionOf returns how a change was rejected.
func rejectionOf(schema *schemas.Summary) string {
	switch schema.Reason {
	case v1alpha1.ReasonExpired, v1alpha1.ReasonVoided:
		return schema.Reason
	}
	return v1alpha1.ReasonRejected
}

// some returns the first few names.
func some(names []string) string {
	const shown = 5
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// ahead returns the highest of the lower versions whose CRDSchemas are not complete, or "" if there
// is none. Such a version precedes this one, because a CRDSchema is compared with the existing ones
// when it is created.
func ahead(own *v1alpha1.OperatorVersion, siblings []v1alpha1.OperatorVersion) string {
	highest, name := "", ""
	for i := range siblings {
		one := &siblings[i]
		lower := semver.Compare(one.Spec.Version, own.Spec.Version) < 0
		if !lower || one.DeletionTimestamp != nil || one.Spec.CRDSource == v1alpha1.CRDSourceManual || settled(one) {
			continue
		}
		if name == "" || semver.Compare(one.Spec.Version, highest) > 0 {
			highest, name = one.Spec.Version, one.Name
		}
	}
	return name
}

// settled reports whether a version's CRDSchemas exist, or are not created before a user acts.
func settled(version *v1alpha1.OperatorVersion) bool {
	ready := meta.FindStatusCondition(version.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || version.Status.ObservedGeneration != version.Generation || ready.Status == metav1.ConditionUnknown {
		return false
	}
	switch ready.Reason {
	case v1alpha1.ReasonRepositoryUnavailable, v1alpha1.ReasonRequestFailed, v1alpha1.ReasonSandboxUnavailable:
		return false
	}
	return true
}

// missing returns the CRDs of a version that have no CRDSchema.
func missing(version *v1alpha1.OperatorVersion, found []*schemas.Summary) []string {
	there := map[string]bool{}
	for _, one := range found {
		there[one.Name] = true
	}
	var names []string
	for i := range version.Status.CRDs {
		if name := version.Status.CRDs[i].Name; !there[schemas.NameOf(version.Name, name)] {
			names = append(names, name)
		}
	}
	return names
}
