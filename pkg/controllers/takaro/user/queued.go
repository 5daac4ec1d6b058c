// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// reportQueued says that a new spec, or a deletion, was seen and has to wait. A status of the
// present generation stays as it is: nothing is known to be wrong.
func (r *reconciler) reportQueued(
	ctx context.Context, a *attempt, stored *v1alpha1.User, blocked *base.Blocked,
) (reconcile.Result, error) {
	deleted := stored.DeletionTimestamp != nil && stored.Status.Phase != v1alpha1.UserDeleting
	if deleted || stored.Status.ObservedGeneration != stored.Generation {
		for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionSynced} {
			set(a.user, kind, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
		}
		a.user.Status.ObservedGeneration = a.user.Generation
		a.user.Status.Phase = phaseOf(a.user)
		if err := r.write(ctx, a, stored); err != nil {
			return reconcile.Result{}, err
		}
	}
	return r.after(a, blocked)
}
