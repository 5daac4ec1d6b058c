// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// carry sets the state of an Approval in the status of its CRDSchema. changed describes what
// changed since the approval was requested. If it is not empty, an approval does not apply to the
// current CRDSchema.
func carry(schema *v1alpha1.CRDSchema, approval *v1alpha1.Approval, changed string) {
	status := &schema.Status
	status.ObservedGeneration = schema.Generation
	outcome, message := approval.Status.Decision, "Approval "+approval.Name+": "
	switch {
	case !final(outcome):
		status.Approval, status.Phase = v1alpha1.ApprovalPending, v1alpha1.PhaseAwaitingApproval
		message += fmt.Sprintf("a person must decide until %s", until(approval))
		outcome = v1alpha1.OutcomePending
	case outcome == v1alpha1.OutcomeApproved && changed != "":
		status.Approval, status.Phase = v1alpha1.ApprovalRejected, v1alpha1.PhaseError
		outcome = v1alpha1.OutcomeVoided
		message += "it was approved, but " + changed
	case outcome == v1alpha1.OutcomeApproved:
		status.Approval, status.Phase = v1alpha1.ApprovalApproved, v1alpha1.PhaseReady
		message += lastWord(approval)
	default:
		status.Approval, status.Phase = v1alpha1.ApprovalRejected, v1alpha1.PhaseError
		message += endOf(approval)
	}
	set(&status.Conditions, schema.Generation, v1alpha1.ConditionReady, status.Approval == v1alpha1.ApprovalApproved,
		reasons[outcome], message)
}

// endOf returns how an Approval ended that was not approved. The decisions of users are available
// before the conditions are set.
func endOf(approval *v1alpha1.Approval) string {
	if condition := finished(approval); approval.Status.Decision != v1alpha1.OutcomeRejected && condition != nil {
		return condition.Message
	}
	return lastWord(approval)
}
