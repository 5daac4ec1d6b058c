// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
)

// reasons maps outcomes to the reasons of the conditions Ready and Finished.
var reasons = map[v1alpha1.ApprovalOutcome]string{
	v1alpha1.OutcomePending:  v1alpha1.ReasonAwaitingApproval,
	v1alpha1.OutcomeApproved: v1alpha1.ReasonApproved,
	v1alpha1.OutcomeRejected: v1alpha1.ReasonRejected,
	v1alpha1.OutcomeExpired:  v1alpha1.ReasonExpired,
	v1alpha1.OutcomeVoided:   v1alpha1.ReasonVoided,
}

// conclude sets the outcome of a reconciliation in the status of an Approval.
func conclude(approval *v1alpha1.Approval, next plan, seen observation) {
	status := &approval.Status
	status.Decision = next.decision
	status.ObservedGeneration = approval.Generation
	done := final(next.decision)
	if done && status.DecidedAt == nil {
		at := metav1.NewTime(seen.now.UTC()).Rfc3339Copy()
		status.DecidedAt = &at
	}
	// The change that voided an Approval is observable only once: the next reconciliation may
	// compare a different state.
	if finished := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished); finished != nil &&
		finished.Status == metav1.ConditionTrue {
		return
	}
	reason, message := reasons[next.decision], told(approval, seen.changed)
	set(&status.Conditions, approval.Generation, v1alpha1.ConditionReady, next.decision == v1alpha1.OutcomeApproved, reason, message)
	set(&status.Conditions, approval.Generation, v1alpha1.ConditionFinished, done, reason, message)
}

// ended is the set of reasons for which an Approval, or the CRDSchema that it is about, can no
// longer become Ready.
var ended = map[string]bool{
	v1alpha1.ReasonRejected:        true,
	v1alpha1.ReasonExpired:         true,
	v1alpha1.ReasonVoided:          true,
	v1alpha1.ReasonBreakingRefused: true,
	v1alpha1.ReasonSchemaNameTaken: true,
}

func set(into *[]metav1.Condition, generation int64, kind string, holds bool, reason, message string) {
	status := metav1.ConditionFalse
	if holds {
		status = metav1.ConditionTrue
	}
	conditions.Set(into, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: generation},
		conditions.OneOf(ended))
}

// told returns the message about the state of an Approval.
func told(approval *v1alpha1.Approval, changed string) string {
	subject := approval.Spec.Subject.Kind + " " + approval.Spec.Subject.Name
	switch approval.Status.Decision {
	case v1alpha1.OutcomeApproved, v1alpha1.OutcomeRejected:
		return lastWord(approval)
	case v1alpha1.OutcomeExpired:
		return fmt.Sprintf("nobody decided until %s: to ask again, delete %s and make it anew", until(approval), subject)
	case v1alpha1.OutcomeVoided:
		return changed + ": what was asked cannot be decided any more"
	}
	return fmt.Sprintf("%s waits for %d of %d people who have the verb approve on approvals.%s, until %s; to approve it: kubectl "+
		"create --raw /apis/%s/approvals/%s/approve -f - <<<'%s'",
		subject, int(approval.Spec.Levels)-approvals(approval), approval.Spec.Levels, v1alpha1.GroupName, until(approval),
		v1alpha1.SchemeGroupVersion, approval.Name, `{"apiVersion":"`+v1alpha1.SchemeGroupVersion.String()+
			`","kind":"ApprovalDecision","reason":"…"}`)
}

// lastWord returns the outcome with the user who decided last.
func lastWord(approval *v1alpha1.Approval) string {
	word := strings.ToLower(string(approval.Status.Decision))
	said := approval.Status.Decisions
	if len(said) == 0 {
		return word
	}
	last := said[len(said)-1]
	text := word + " by " + last.User
	if last.Reason != "" {
		text += ": " + last.Reason
	}
	return text
}

func approvals(approval *v1alpha1.Approval) int {
	count := 0
	for _, record := range approval.Status.Decisions {
		if record.Decision == v1alpha1.OutcomeApproved {
			count++
		}
	}
	return count
}

func until(approval *v1alpha1.Approval) string {
	if approval.Status.ExpiresAt == nil {
		return "it is decided"
	}
	return approval.Status.ExpiresAt.UTC().Format(time.RFC3339)
}
