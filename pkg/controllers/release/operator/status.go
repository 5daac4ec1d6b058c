// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/release/chartsource"
)

// statusKind describes how Operators report their status.
var statusKind = base.Kind[*v1alpha1.Operator]{
	Status: func(operator *v1alpha1.Operator) base.Status {
		s := &operator.Status
		return base.Status{Whole: s, Conditions: &s.Conditions, ObservedGeneration: &s.ObservedGeneration}
	},
	SetPhase: func(operator *v1alpha1.Operator) {
		operator.Status.Phase = chartsource.PhaseOf(operator.Status.Conditions)
	},
	MustAct: chartsource.MustAct,
}

// conclude sets the result in the status.
func conclude(operator *v1alpha1.Operator, existing []version, found *check) {
	operator.Status.Versions = int32(len(existing))
	operator.Status.LatestVersion = latest(existing)
	set := statusKind.Set
	if problem := found.problem; problem != nil {
		set(operator, v1alpha1.ConditionRepositoryReachable, metav1.ConditionFalse, problem.Reason, problem.Message)
		set(operator, v1alpha1.ConditionReady, metav1.ConditionFalse, problem.Reason, problem.Message)
	} else {
		set(operator, v1alpha1.ConditionRepositoryReachable, metav1.ConditionTrue, v1alpha1.ReasonRepositoryAnswers,
			fmt.Sprintf("%s has chart %s", operator.Spec.Chart.Repository, operator.Spec.Chart.Name))
		set(operator, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "the chart repository answers and has the chart")
	}
	statusKind.Observed(operator)
}

// report writes the status if it changed, and emits an event when the repository starts failing or
// responds again.
func (r *reconciler) report(ctx context.Context, operator, stored *v1alpha1.Operator) error {
	if changed, err := r.WriteChanged(ctx, operator, stored); !changed {
		return err
	}
	before := meta.FindStatusCondition(stored.Status.Conditions, v1alpha1.ConditionRepositoryReachable)
	now := meta.FindStatusCondition(operator.Status.Conditions, v1alpha1.ConditionRepositoryReachable)
	switch {
	case before != nil && before.Reason == now.Reason:
	case now.Status == metav1.ConditionFalse:
		r.Warn(operator, now.Reason, "%s", now.Message)
	case before != nil && before.Status == metav1.ConditionFalse:
		r.Note(operator, base.EventRecovered, "%s", now.Message)
	}
	return nil
}
