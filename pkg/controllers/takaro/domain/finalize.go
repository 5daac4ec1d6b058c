// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	shared "roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// finalize deals with the Takaro side of a Domain that is being deleted, then lets the object go.
func (r *reconciler) finalize(ctx context.Context, a *attempt, stored *v1alpha1.Domain) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(a.domain, Finalizer) {
		return reconcile.Result{}, nil
	}
	var awaited []string
	var first dependents
	for _, of := range []dependents{userDependents, mockServerDependents} {
		names, err := r.remove(ctx, a.domain, of)
		if err != nil {
			return reconcile.Result{}, err
		}
		if len(awaited) == 0 { // all go at once; one kind at a time is told of
			awaited, first = names, of
		}
	}
	if len(awaited) > 0 {
		return r.reportAwaited(ctx, a, stored, first, awaited)
	}
	if blocked := r.dispose(ctx, a); blocked != nil {
		never, err := shared.NeverUnblocked(ctx, r.live, a.domain.Namespace, blocked.reason)
		if err != nil {
			return reconcile.Result{}, err
		}
		if !never {
			return r.reportBlocked(ctx, a, stored, blocked.naming(a.from))
		}
		log.FromContext(ctx).Info("The namespace is gone and with it the Secret by which Takaro could be asked: the Takaro domain is left as it is; takaro-sweep finds it",
			"domainID", a.domain.Status.DomainID, "externalReference", a.reference, "blockedBy", blocked.message)
	}
	r.remains.forget(a.domain.UID)
	for _, name := range append(secretNames(a.domain), registrationSecretName(a.domain), rootSecretName(a.domain)) {
		r.secrets.Forget(client.ObjectKey{Namespace: a.domain.Namespace, Name: name})
	}
	controllerutil.RemoveFinalizer(a.domain, Finalizer)
	return reconcile.Result{}, client.IgnoreNotFound(r.client.Update(ctx, a.domain))
}

// reportBlocked says why the Takaro side is still there, and how to let go of it.
func (r *reconciler) reportBlocked(ctx context.Context, a *attempt, stored *v1alpha1.Domain, blocked *problem) (reconcile.Result, error) {
	if blocked.outdated() {
		return reconcile.Result{}, blocked.retry
	}
	domain := a.domain
	message := fmt.Sprintf("%s. To let go and leave the Takaro domain: kubectl patch domains.%s %s -n %s --type=merge -p '{\"spec\":{\"deletionPolicy\":\"Retain\"}}'",
		blocked.message, v1alpha1.GroupName, domain.Name, domain.Namespace)
	set(domain, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked, message)
	set(domain, blocked.condition, metav1.ConditionFalse, blocked.reason, blocked.message)
	domain.Status.ObservedGeneration = domain.Generation
	domain.Status.Phase = phaseOf(domain)
	if err := r.write(ctx, a, stored); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: blocked.wait}, blocked.retry
}

// dispose does in Takaro what the deletion policy says.
func (r *reconciler) dispose(ctx context.Context, a *attempt) *problem {
	status := &a.domain.Status
	if status.DomainID == "" && status.ExternalReferenceID == "" {
		return nil // nothing was ever made or adopted
	}
	if a.domain.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain {
		r.note(a, eventLeftInTakaro, "Takaro domain %s with externalReference %q was left as it is (deletionPolicy Retain)", orUnknown(status.DomainID), a.reference)
		return nil
	}
	if blocked := r.connect(ctx, a); blocked != nil {
		return blocked
	}
	record, blocked := r.remaining(ctx, a)
	if blocked != nil {
		return blocked
	}
	if record == nil {
		return r.absent(a)
	}
	hard := a.domain.Spec.DeletionPolicy != v1alpha1.DeletionPolicyDisable
	if err := a.client.DeleteDomain(ctx, record.ID, hard); err != nil && !takaro.IsNotFound(err) {
		return r.judge(a, "deleting the domain in Takaro", err)
	}
	r.observer.remove(a.key, record.ID)
	if hard {
		domainsDeleted.Inc()
		r.note(a, eventDeleted, "Takaro domain %s was deleted", record.ID)
	} else {
		r.note(a, eventDisabled, "Takaro domain %s was disabled (deletionPolicy Disable)", record.ID)
	}
	return nil
}

// absent believes at once that a domain is gone which was known. One whose create was begun, though its outcome was never
// noted, may still be on its way.
func (r *reconciler) absent(a *attempt) *problem {
	if a.domain.Status.DomainID != "" {
		return nil
	}
	age := r.remains.age(a.domain.UID, "")
	if age >= remainsGrace {
		return nil
	}
	return &problem{condition: v1alpha1.ConditionSynced, reason: v1alpha1.ReasonInterruptedCreate, wait: remainsGrace - age,
		message: "a create was begun and its outcome is not known; making sure that no Takaro domain comes of it"}
}

// remaining returns the Takaro domain that is still there, nil when none is. It asks Takaro itself: lists may be old.
func (r *reconciler) remaining(ctx context.Context, a *attempt) (*takaro.Domain, *problem) {
	if id := a.domain.Status.DomainID; id != "" {
		record, err := a.client.GetDomain(ctx, id)
		if err == nil {
			return record, nil
		}
		if !takaro.IsNotFound(err) {
			return nil, r.judge(a, "looking for the domain in Takaro", err)
		}
	}
	record, err := a.client.FindDomainByReference(ctx, a.reference)
	if err != nil {
		return nil, r.judge(a, "looking for the domain in Takaro", err)
	}
	return record, nil
}

func orUnknown(id string) string {
	if id == "" {
		return "(id unknown)"
	}
	return id
}
