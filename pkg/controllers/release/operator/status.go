// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
)

// set puts a condition into the status of an Operator.
func set(operator *v1alpha1.Operator, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.Set(&operator.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: operator.Generation,
	}, chartsource.MustAct)
}

// begin says that a new spec is being carried out.
func begin(operator *v1alpha1.Operator, message string) {
	operator.Status.ObservedGeneration = operator.Generation
	set(operator, v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, message)
	operator.Status.Phase = phaseOf(operator)
}

// conclude puts what was found into the status.
func conclude(operator *v1alpha1.Operator, existing []version, found *check) {
	status := &operator.Status
	status.ObservedGeneration = operator.Generation
	status.Versions = int32(len(existing))
	status.LatestVersion = latest(existing)
	if problem := found.problem; problem != nil {
		set(operator, v1alpha1.ConditionRepositoryReachable, metav1.ConditionFalse, problem.Reason, problem.Message)
		set(operator, v1alpha1.ConditionReady, metav1.ConditionFalse, problem.Reason, problem.Message)
	} else {
		set(operator, v1alpha1.ConditionRepositoryReachable, metav1.ConditionTrue, v1alpha1.ReasonRepositoryAnswers,
			fmt.Sprintf("%s has chart %s", operator.Spec.Chart.Repository, operator.Spec.Chart.Name))
		set(operator, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "the chart repository answers and has the chart")
	}
	status.Phase = phaseOf(operator)
}

// phaseOf derives the word for people from the conditions.
func phaseOf(operator *v1alpha1.Operator) v1alpha1.Phase {
	ready := meta.FindStatusCondition(operator.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case ready != nil && ready.Status == metav1.ConditionTrue:
		return v1alpha1.PhaseReady
	case ready != nil && ready.Status == metav1.ConditionFalse && chartsource.MustAct(ready.Reason):
		return v1alpha1.PhaseError
	}
	return v1alpha1.PhasePending
}

// report writes the status if it changed, and tells of trouble that begins or ends.
func (r *reconciler) report(ctx context.Context, operator, stored *v1alpha1.Operator) error {
	if apiequality.Semantic.DeepEqual(operator.Status, stored.Status) {
		return nil
	}
	if err := r.client.Status().Update(ctx, operator); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := meta.FindStatusCondition(stored.Status.Conditions, v1alpha1.ConditionRepositoryReachable)
	now := meta.FindStatusCondition(operator.Status.Conditions, v1alpha1.ConditionRepositoryReachable)
	switch {
	case before != nil && before.Reason == now.Reason:
	case now.Status == metav1.ConditionFalse:
		r.warn(operator, now.Reason, "%s", now.Message)
	case before != nil && before.Status == metav1.ConditionFalse:
		r.note(operator, eventRecovered, "%s", now.Message)
	}
	return nil
}
