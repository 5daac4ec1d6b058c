// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// finalize deals with the Takaro side of a User that is being deleted, then lets the object go.
func (r *reconciler) finalize(ctx context.Context, a *attempt, stored *v1alpha1.User) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(a.user, Finalizer) {
		return reconcile.Result{}, nil
	}
	if blocked := r.dispose(ctx, a); blocked != nil {
		never, err := problem.NeverUnblocked(ctx, r.live, a.user.Namespace, blocked.Reason)
		if err != nil {
			return reconcile.Result{}, err
		}
		if !never {
			return r.reportBlocked(ctx, a, stored, blocked.Naming(a.from))
		}
		log.FromContext(ctx).Info("The namespace is gone and with it the Secret by which Takaro could be asked: the Takaro user is left as it is",
			"userID", a.user.Status.UserID, "blockedBy", blocked.Message)
	}
	if err := r.secrets.Delete(ctx, a.user, secretName(a.user)); err != nil {
		return reconcile.Result{}, err
	}
	r.absences.forget(a.user.UID)
	controllerutil.RemoveFinalizer(a.user, Finalizer)
	return reconcile.Result{}, client.IgnoreNotFound(r.client.Update(ctx, a.user))
}

// reportBlocked says why the Takaro side is still there, and how to let go of it.
func (r *reconciler) reportBlocked(ctx context.Context, a *attempt, stored *v1alpha1.User, blocked *problem.Problem) (reconcile.Result, error) {
	if blocked.Outdated() {
		return reconcile.Result{}, blocked.Retry
	}
	user := a.user
	set(user, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked, fmt.Sprintf(
		"%s. To let go and leave the Takaro user: kubectl patch users.%s %s -n %s --type=merge -p '{\"spec\":{\"deletionPolicy\":\"Retain\"}}'",
		blocked.Message, v1alpha1.GroupName, user.Name, user.Namespace))
	if !begun(user) {
		set(user, v1alpha1.ConditionSynced, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
	}
	user.Status.ObservedGeneration = user.Generation
	user.Status.Phase = phaseOf(user)
	if err := r.write(ctx, a, stored); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: blocked.Wait}, blocked.Retry
}

// disposal is what is to be done in Takaro for a User that is being deleted.
type disposal string

const (
	// nothing: nothing was ever made, or it goes or went with its domain.
	nothing disposal = "nothing"
	// leave the user, and say so.
	leave disposal = "leave"
	// remove the user from its domain.
	remove disposal = "remove"
)

// disposalOf is a pure function. domain is nil when it is gone.
func disposalOf(user *v1alpha1.User, domain *v1alpha1.Domain) disposal {
	switch {
	case user.Status.UserID == "" && !begun(user):
		return nothing
	case user.Spec.DeletionPolicy == v1alpha1.UserDeletionPolicyRetain:
		return leave
	case domain == nil || domain.Status.DomainID == "":
		return nothing
	case domain.DeletionTimestamp != nil && domain.Spec.DeletionPolicy != v1alpha1.DeletionPolicyRetain:
		return nothing
	default:
		return remove
	}
}

// dispose does in Takaro what the deletion policy says.
func (r *reconciler) dispose(ctx context.Context, a *attempt) *problem.Problem {
	id := a.user.Status.UserID
	switch disposalOf(a.user, a.domain) {
	case nothing:
		return nil
	case leave:
		r.note(a, eventLeftInTakaro, "Takaro user %s was left as it is (deletionPolicy Retain)", orUnknown(id))
		return nil
	}
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	const doing = "deleting the user in Takaro"
	record, err := r.roster.find(ctx, a.place, a.client, a.user.Spec.Email, 0)
	switch {
	case err != nil:
		return problem.Classify(doing, err)
	case record == nil && begun(a.user):
		return r.awaitCreate(a)
	case record == nil || isRoot(record):
		return nil
	}
	if err := a.client.DeleteUser(ctx, a.domain.Status.DomainID, record.ID); err != nil && !takaro.IsNotFound(err) {
		return problem.Classify(doing, err)
	}
	r.roster.remove(a.place, record.Email)
	usersDeleted.Inc()
	r.note(a, eventDeleted, "Takaro user %s was deleted from its domain; its identity and password stay in Takaro", record.ID)
	return nil
}

// awaitCreate makes sure that no user comes of a create whose outcome was never noted.
func (r *reconciler) awaitCreate(a *attempt) *problem.Problem {
	left := r.absences.remaining(a.user.UID)
	if left == 0 {
		return nil
	}
	return &problem.Problem{Endpoint: true, Reason: v1alpha1.ReasonInterruptedCreate, Wait: left,
		Message: "a create was begun and its outcome is not known; making sure that no Takaro user comes of it"}
}

func orUnknown(id string) string {
	if id == "" {
		return "(id unknown)"
	}
	return id
}
