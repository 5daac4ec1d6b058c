// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// finalize applies the deletion policy to the user in Takaro of a User that is being deleted, then
// removes the finalizer.
func (r *reconciler) finalize(ctx context.Context, a *attempt, stored *v1alpha1.User) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(a.user, Finalizer) {
		return reconcile.Result{}, nil
	}
	work, done := base.Work(ctx)
	defer done()
	blocked, err := problem.Awaited(ctx, r.Live, a.user.Namespace, r.dispose(work, a),
		"The user is left in Takaro: the namespace and the Secret that is needed to call Takaro no longer exist",
		"userID", a.user.Status.UserID)
	if err != nil {
		return reconcile.Result{}, err
	}
	if blocked != nil {
		return r.reportBlocked(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
	}
	if err := r.Secrets.Delete(ctx, a.user, secretName(a.user)); err != nil {
		return reconcile.Result{}, err
	}
	r.gone.Present(a.user.UID)
	return r.Release(ctx, a.user, Finalizer)
}

// reportBlocked reports why the user in Takaro still exists, and how to end the deletion without
// it.
func (r *reconciler) reportBlocked(
	ctx context.Context, a *attempt, stored *v1alpha1.User, blocked *base.Blocked,
) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.user, stored, blocked); passing {
		return result, err
	}
	user := a.user
	set(user, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked, fmt.Sprintf(
		"%s To end the deletion and leave the user in Takaro, run: "+
			"kubectl patch users.%s %s -n %s --type=merge -p '{\"spec\":{\"deletionPolicy\":\"Retain\"}}'",
		sentence(blocked.Message), v1alpha1.GroupName, user.Name, user.Namespace))
	set(user, v1alpha1.ConditionSynced, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
	return r.Finish(ctx, user, stored, blocked)
}

// withDomain reports whether the user is deleted with its Takaro domain. domain is nil if the
// Domain no longer exists.
func withDomain(domain *v1alpha1.Domain) bool {
	return domain == nil || domain.DeletionTimestamp != nil && domain.Spec.DeletionPolicy != v1alpha1.DeletionPolicyRetain
}

// dispose applies the deletion policy in Takaro.
func (r *reconciler) dispose(ctx context.Context, a *attempt) *base.Blocked {
	switch {
	case !recorded(a.user):
		return nil
	case a.user.Spec.DeletionPolicy == v1alpha1.UserDeletionPolicyRetain:
		return r.leave(ctx, a)
	}
	if blocked := problem.HeldWithDomain(ctx, r.Live, r.Keeper, a.domain); blocked != nil {
		return blocked
	}
	switch {
	case withDomain(a.domain):
		return nil
	case lostWithDomain(a):
		return nil
	case domainref.DomainID(a.domain) == "":
		return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonDomainNotReady, Message: fmt.Sprintf(
			"Domain %q has no Takaro domain now, so whether the user exists is not known. See its conditions.", a.domain.Name)}
	}
	for _, step := range []func(context.Context, *attempt) *base.Blocked{r.connect, r.readOwnSecret, r.upgrade} {
		if blocked := step(ctx, a); blocked != nil {
			return blocked
		}
	}
	_, err := outside.Dispose(ctx, r.outsideOf(a))
	if err == nil || r.goneWithDomain(ctx, a) {
		return nil
	}
	return problem.Classify("deleting the user in Takaro", err)
}

// leave ends the deletion without a request to Takaro.
func (r *reconciler) leave(ctx context.Context, a *attempt) *base.Blocked {
	object := r.outsideOf(a)
	object.Observe = func(context.Context, bool) (ownership.Observed, error) { return ownership.Observed{}, nil }
	object.Store = func(context.Context) error { return nil } // the object is about to be removed
	if a.user.Status.Ownership == nil {
		r.Note(a.user, eventLeftInTakaro, "Takaro user %s was left as it is (deletionPolicy Retain)", a.user.Status.UserID)
	}
	if _, err := outside.Dispose(ctx, object); err != nil {
		return problem.Classify("leaving the user in Takaro", err)
	}
	return nil
}

// readOwnSecret is like readSecret, for a deletion: a foreign Secret of the name does not stop it.
func (r *reconciler) readOwnSecret(ctx context.Context, a *attempt) *base.Blocked {
	blocked := r.readSecret(ctx, a)
	if blocked != nil && blocked.Reason == v1alpha1.ReasonSecretNameTaken {
		return nil
	}
	return blocked
}
