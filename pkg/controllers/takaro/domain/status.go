// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// set puts a condition into the status of a Domain.
func set(domain *v1alpha1.Domain, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.Set(&domain.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: domain.Generation,
	}, conditions.OneOf(failed))
}

// begin says that the spec is being carried out.
func begin(domain *v1alpha1.Domain) {
	domain.Status.ObservedGeneration = domain.Generation
	message := "The domain is being changed in Takaro."
	if record, found := current(domain); found && record.State == ownership.Intended {
		message = "The domain is being created in Takaro."
	}
	set(domain, v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, message)
	domain.Status.Phase = phaseOf(domain)
}

// setRootCredentials says whether the root login is known, and if not, what can be done.
func setRootCredentials(domain *v1alpha1.Domain, stored bool) {
	switch {
	case stored:
		set(domain, v1alpha1.ConditionRootCredentials, metav1.ConditionTrue, v1alpha1.ReasonRootCredentialsStored,
			fmt.Sprintf("the root login is in Secret %q", rootSecretName(domain)))
	case domain.Spec.Adopt:
		set(domain, v1alpha1.ConditionRootCredentials, metav1.ConditionFalse, v1alpha1.ReasonRootPasswordUnknown,
			"The domain was adopted. Whoever created it has the root password.")
	default:
		set(domain, v1alpha1.ConditionRootCredentials, metav1.ConditionFalse, v1alpha1.ReasonRootPasswordLost,
			"Takaro returns the root password only once, and no Secret holds it any more. To get a new domain with a new root login, "+
				"delete this object and create it again; otherwise the domain works without the root login.")
	}
}

// conclude puts the outcome of an attempt into the conditions.
func conclude(domain *v1alpha1.Domain, blocked *base.Blocked) {
	domain.Status.ObservedGeneration = domain.Generation
	if blocked == nil {
		setEndpointAnswers(domain)
		set(domain, v1alpha1.ConditionSynced, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "the Takaro domain is as specified")
		set(domain, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified,
			fmt.Sprintf("Takaro domain %s is as specified", domain.Status.DomainID))
	} else {
		status := metav1.ConditionFalse
		if undecided[blocked.Reason] {
			status = metav1.ConditionUnknown
		}
		set(domain, blocked.Condition, status, blocked.Reason, blocked.Message)
		switch {
		case blocked.Condition == v1alpha1.ConditionEndpointReady:
			set(domain, v1alpha1.ConditionSynced, metav1.ConditionUnknown, blocked.Reason, "Takaro cannot be queried; see EndpointReady.")
		case answered[blocked.Reason]:
			setEndpointAnswers(domain)
		}
		set(domain, v1alpha1.ConditionReady, status, blocked.Reason, blocked.Message)
	}
	domain.Status.Phase = phaseOf(domain)
}

func setEndpointAnswers(domain *v1alpha1.Domain) {
	set(domain, v1alpha1.ConditionEndpointReady, metav1.ConditionTrue, v1alpha1.ReasonEndpointAnswers,
		"Takaro answers and takes the admin token")
}

// answered are the reasons of Synced that came from an answer of Takaro to a request with the admin token.
var answered = map[string]bool{
	v1alpha1.ReasonExternalReferenceTaken:    true,
	v1alpha1.ReasonExternalReferenceNotFound: true,
	v1alpha1.ReasonSearchIncomplete:          true,
	v1alpha1.ReasonSearchTooLarge:            true,
	v1alpha1.ReasonReferenceChanged:          true,
	v1alpha1.ReasonVanished:                  true,
	v1alpha1.ReasonInterruptedCreate:         true,
	v1alpha1.ReasonCreateUnclear:             true,
	v1alpha1.ReasonRequestRefused:            true,
}

// undecided are the reasons that say neither that the domain is as specified nor that something is wrong.
var undecided = map[string]bool{
	v1alpha1.ReasonReconciling:       true,
	v1alpha1.ReasonEndpointVerifying: true,
}

// failed are the reasons that need a change by a user.
var failed = map[string]bool{
	v1alpha1.ReasonEndpointNotConfigured:  true,
	v1alpha1.ReasonEndpointNotTakaro:      true,
	v1alpha1.ReasonEndpointRefused:        true,
	v1alpha1.ReasonAdminTokenRefused:      true,
	v1alpha1.ReasonSecretKeyMissing:       true,
	v1alpha1.ReasonSecretNameTaken:        true,
	v1alpha1.ReasonNamespaceNotServed:     true,
	v1alpha1.ReasonExternalReferenceTaken: true,
	v1alpha1.ReasonReferenceChanged:       true,
	v1alpha1.ReasonLedgerNotKept:          true,
	v1alpha1.ReasonRequestRefused:         true,
	v1alpha1.ReasonSearchTooLarge:         true,
}

// phaseOf derives the phase from the conditions and the ledger.
func phaseOf(domain *v1alpha1.Domain) v1alpha1.DomainPhase {
	ready := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionReady)
	record, found := current(domain)
	switch {
	case domain.DeletionTimestamp != nil:
		return v1alpha1.DomainDeleting
	case ready != nil && ready.Status == metav1.ConditionTrue:
		return v1alpha1.DomainReady
	case ready != nil && ready.Status == metav1.ConditionFalse && failed[ready.Reason]:
		return v1alpha1.DomainError
	case found && record.State == ownership.Intended:
		return v1alpha1.DomainCreating
	default:
		return v1alpha1.DomainPending
	}
}

// settledBy reports whether the status says that the present spec is fulfilled.
func settledBy(domain *v1alpha1.Domain) bool {
	ready := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == domain.Generation
}

// report writes the status if it changed and says when to look again.
func (r *reconciler) report(ctx context.Context, a *attempt, stored *v1alpha1.Domain, blocked *base.Blocked) (reconcile.Result, error) {
	if blocked.Outdated() {
		return reconcile.Result{}, blocked.Err
	}
	if blocked != nil && blocked.Reason == v1alpha1.ReasonQueued {
		return r.reportQueued(ctx, a, stored, blocked)
	}
	if blocked.KeepsReady() && settledBy(stored) {
		// Neither a restart of the controller nor a pause that Takaro asks for makes what is Ready anything else.
		return reconcile.Result{RequeueAfter: blocked.RequeueAfter}, blocked.Err
	}
	a.project()
	conclude(a.domain, blocked)
	if err := r.count(ctx, a.domain); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.write(ctx, a, stored); err != nil {
		return reconcile.Result{}, err
	}
	r.announce(a, stored)
	return r.after(a, blocked)
}

// after returns when to reconcile again.
func (r *reconciler) after(a *attempt, blocked *base.Blocked) (reconcile.Result, error) {
	name := client.ObjectKeyFromObject(a.domain)
	if blocked == nil {
		r.refusals.Forget(name)
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: r.refusals.Wait(name, blocked.Reason, blocked.RequeueAfter)}, blocked.Err
}

// announce makes an event when the reason of Ready changed: of trouble, and of its end.
func (r *reconciler) announce(a *attempt, stored *v1alpha1.Domain) {
	now := meta.FindStatusCondition(a.domain.Status.Conditions, v1alpha1.ConditionReady)
	before := meta.FindStatusCondition(stored.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case before != nil && before.Reason == now.Reason && before.Status == now.Status:
	case now.Status == metav1.ConditionFalse:
		r.warn(a, now.Reason, "%s", now.Message)
	case before != nil && before.Status == metav1.ConditionFalse:
		r.note(a, eventRecovered, "%s", now.Message)
	}
}

// write stores the draft of the status. The comparison is with what the API server has: the draft may already have been
// written on the way.
func (r *reconciler) write(ctx context.Context, a *attempt, stored *v1alpha1.Domain) error {
	if a.domain.ResourceVersion == stored.ResourceVersion && apiequality.Semantic.DeepEqual(a.domain.Status, stored.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.client.Status().Update(ctx, a.domain))
}
