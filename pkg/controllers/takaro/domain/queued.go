// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// reportQueued says that a new spec, or a deletion, was seen and has to wait. A status of the
// present generation stays as it is: nothing is known to be wrong.
func (r *reconciler) reportQueued(ctx context.Context, a *attempt, stored *v1alpha1.Domain, blocked *base.Blocked) (reconcile.Result, error) {
	domain := a.domain
	deleted := stored.DeletionTimestamp != nil && stored.Status.Phase != v1alpha1.DomainDeleting
	if deleted || stored.Status.ObservedGeneration != stored.Generation {
		for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced} {
			set(domain, kind, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
		}
		domain.Status.ObservedGeneration = domain.Generation
		domain.Status.Phase = phaseOf(domain)
		if err := r.write(ctx, a, stored); err != nil {
			return reconcile.Result{}, err
		}
	}
	return r.after(a, blocked)
}
