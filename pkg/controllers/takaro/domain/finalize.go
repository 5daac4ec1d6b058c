// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/outside"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// identityLimit is the maximum time that a new leader needs to verify a Takaro that responds. The
// previous leader may have been killed.
const identityLimit = anchor.StandStill + 15*time.Second

// finalize applies the deletion policy to the Takaro domain of a Domain that is being deleted, then
// removes the finalizer.
func (r *reconciler) finalize(ctx context.Context, a *attempt, stored *v1alpha1.Domain) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(a.domain, Finalizer) {
		return reconcile.Result{}, nil
	}
	// This precedes the deletion of the dependents.
	if blocked := r.deletionHeld(ctx, a); blocked != nil {
		return r.reportBlocked(ctx, a, stored, blocked)
	}
	if domainref.DeletionHeld(a.domain) {
		set(a.domain, v1alpha1.ConditionSynced, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, "The deletion is not held any more.")
	}
	var awaited []string
	var first dependents
	for _, of := range []dependents{userDependents, mockServerDependents} {
		names, err := r.remove(ctx, a.domain, of)
		if err != nil {
			return reconcile.Result{}, err
		}
		if len(awaited) == 0 { // all kinds are deleted at the same time; the status names one kind at a time
			awaited, first = names, of
		}
	}
	if len(awaited) > 0 {
		return r.reportAwaited(ctx, a, stored, first, awaited)
	}
	work, done := base.Work(ctx)
	defer done()
	blocked, err := problem.Awaited(ctx, r.Live, a.domain.Namespace, r.dispose(work, a),
		"The namespace was deleted, and with it the Secret with the admin token. The Takaro domain is left as it is; takaro-sweep finds it",
		"domainID", a.domain.Status.DomainID, "externalReference", a.domain.Status.ExternalReferenceID)
	if err != nil {
		return reconcile.Result{}, err
	}
	if blocked != nil {
		return r.reportBlocked(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
	}
	r.settled.forget(a.domain.UID)
	r.Keeper.Forget(client.ObjectKeyFromObject(a.domain))
	for _, name := range append(secretNames(a.domain), registrationSecretName(a.domain), rootSecretName(a.domain)) {
		r.Secrets.Forget(client.ObjectKey{Namespace: a.domain.Namespace, Name: name})
	}
	if err := r.reportDisposed(ctx, a, stored); err != nil {
		return reconcile.Result{}, err
	}
	return r.Release(ctx, a.domain, Finalizer)
}

// reportBlocked reports why the Takaro domain still exists, and how to end the deletion without it.
func (r *reconciler) reportBlocked(
	ctx context.Context, a *attempt, stored *v1alpha1.Domain, blocked *base.Blocked,
) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.domain, stored, blocked); passing {
		return result, err
	}
	domain := a.domain
	message := blocked.Message
	retained := domain.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain
	if command := letGo(domain); !retained && !strings.Contains(message, command) {
		message = fmt.Sprintf("%s. To end the deletion and leave the Takaro domain as it is, run: %s", strings.TrimSuffix(message, "."), command)
	}
	a.project()
	set(domain, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked, message)
	set(domain, blocked.Condition, metav1.ConditionFalse, blocked.Reason, blocked.Message)
	return r.Finish(ctx, domain, stored, blocked)
}

// reportDisposed reports what still blocks a Domain with other finalizers, such as that of a
// foreground deletion. Otherwise the status would keep the message of an earlier wait, because this
// controller does not reconcile the Domain again.
func (r *reconciler) reportDisposed(ctx context.Context, a *attempt, stored *v1alpha1.Domain) error {
	others := slices.DeleteFunc(slices.Clone(a.domain.Finalizers), func(name string) bool { return name == Finalizer })
	if len(others) == 0 {
		return nil
	}
	a.project()
	set(a.domain, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeleting,
		"The controller is done with Takaro. The Domain exists until others remove these finalizers: "+strings.Join(others, ", "))
	statusKind.Observed(a.domain)
	return r.Write(ctx, a.domain, stored)
}

// dispose applies the deletion policy in Takaro.
func (r *reconciler) dispose(ctx context.Context, a *attempt) *base.Blocked {
	retain := a.domain.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain
	status := &a.domain.Status
	if status.Ownership == nil && status.DomainID == "" || status.Ownership != nil && len(status.Ownership.Records) == 0 {
		return nil // nothing was ever created or adopted
	}
	if blocked := r.connect(ctx, a); blocked != nil && (!retain || blocked.Reason == v1alpha1.ReasonQueued) {
		return blocked
	}
	if retain && r.awaitsIdentity(a) {
		return a.stopped(&outside.StoppedError{Decision: ownership.Unverified(a.State.Endpoint)})
	}
	if blocked := r.upgradeDeleted(ctx, a, retain); blocked != nil {
		return blocked
	}
	left, err := outside.Dispose(ctx, r.object(a))
	if err != nil {
		return a.stopped(err)
	}
	if retain {
		record, _ := current(a.domain)
		r.Note(a.domain, eventLeftInTakaro, "Takaro domain %s with externalReference %q was left as it is (deletionPolicy Retain)",
			orUnknown(record.ID), a.retainedUnder())
	}
	if left = append(left, a.left...); len(left) > 0 && a.State.Installation != "" {
		if err := r.Keeper.Leave(ctx, a.domain, a.Resolved, left); err != nil {
			return classify("recording what stays in Takaro", err)
		}
	}
	return nil
}

// awaitsIdentity reports whether a retained domain is not marked yet because this process has only
// just become the leader. Retain must not depend on a response from Takaro, so this wait is
// limited.
func (r *reconciler) awaitsIdentity(a *attempt) bool {
	e := a.State.Endpoint
	return a.Client != nil && !e.Verified && e.Reason == "" && r.Clock.Since(e.LeaderSince) < identityLimit
}

// upgradeDeleted is the variant of upgrade for a deletion. With deletionPolicy Retain it needs no
// response from Takaro: the recorded id is left in place.
func (r *reconciler) upgradeDeleted(ctx context.Context, a *attempt, retain bool) *base.Blocked {
	var err error
	if a.Client != nil {
		err = r.upgrade(ctx, a)
	}
	switch {
	case a.domain.Status.Ownership != nil:
		return nil
	case retain:
		a.left = append(a.left, a.domain.Status.DomainID)
		a.ledger()
		return nil
	}
	return a.stopped(err)
}

// retainedUnder returns the reference of the domain that remains.
func (a *attempt) retainedUnder() string {
	record, _ := current(a.domain)
	if seen := a.seen[record.ID]; seen != nil && seen.ExternalReference != nil {
		return *seen.ExternalReference
	}
	return wantedReference(a.domain, record.Key)
}

func orUnknown(id string) string {
	if id == "" {
		return "(id unknown)"
	}
	return id
}
