// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdschemas "roadstead.dev/roadstead/pkg/controllers/release/schemas"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// judge sets the result of a comparison and the required approval under a policy in the status of a
// CRDSchema. The CRDSchema is already stored and can no longer be rejected. A change that would
// have been rejected must not be rolled out.
func judge(schema *v1alpha1.CRDSchema, compared crdpolicy.Comparison, policy crdpolicy.Policy) {
	status := &schema.Status
	status.ObservedGeneration = schema.Generation
	if compared.Empty() {
		status.Approval, status.Phase = v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady
		set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, true, v1alpha1.ReasonNothingToCompare,
			"no accepted version has this CRD")
		return
	}
	report := compared.Report()
	if against := compared.Against(); against != nil {
		status.Against = &v1alpha1.CRDSchemaBaseline{
			Name: against.Name, UID: against.UID, Digest: compare.Digest(nil, against.CRD), Change: report.Digest,
		}
	}
	status.Compatibility = v1alpha1.Compatibility(report.Verdict)
	status.Findings, status.TotalFindings = crdschemas.Findings(report)
	describe(schema, crdpolicy.Decide(report, policy, true), compared.Describe(report))
}

// describe sets approval, phase and condition from an outcome.
func describe(schema *v1alpha1.CRDSchema, outcome crdpolicy.Outcome, change string) {
	status := &schema.Status
	say := func(approval v1alpha1.ApprovalState, phase v1alpha1.Phase, ready bool, reason, format string, args ...any) {
		status.Approval, status.Phase = approval, phase
		set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, ready, reason, fmt.Sprintf(format, args...))
	}
	switch outcome {
	case crdpolicy.Fine:
		say(v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, true, v1alpha1.ReasonCompatible, "%s", change)
	case crdpolicy.PassedWithWarning:
		say(v1alpha1.ApprovalNotRequired, v1alpha1.PhaseReady, true, v1alpha1.ReasonBreakingAllowed,
			"%s; spec.crdPolicy of the Operator allows it", change)
	case crdpolicy.Pending:
		say(v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval, false, v1alpha1.ReasonAwaitingApproval, "%s: it needs an approval", change)
	case crdpolicy.Unrequested, crdpolicy.Refused:
		say(v1alpha1.ApprovalRejected, v1alpha1.PhaseError, false, v1alpha1.ReasonBreakingRefused,
			"%s: it may not be rolled out; create a version that breaks nothing, "+
				"or change spec.crdPolicy of the Operator and create this CRDSchema again", change)
	}
}

// disown records, in the status of a CRDSchema that a user created before the OperatorVersion, that
// it is no evidence of what the chart of the version renders.
func disown(schema *v1alpha1.CRDSchema, version string) {
	status := &schema.Status
	status.ObservedGeneration = schema.Generation
	status.Approval, status.Phase = v1alpha1.ApprovalRejected, v1alpha1.PhaseError
	set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, false, v1alpha1.ReasonSchemaNameTaken, fmt.Sprintf(
		"CRDSchemas of OperatorVersion %s are created by the controller from the chart, and %q created this one before. "+
			"Delete it: kubectl delete crdschema %s",
		version, status.CreatedBy, schema.Name))
}
