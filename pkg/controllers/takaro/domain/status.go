// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// statusKind describes how Domains report their status.
var statusKind = base.Kind[*v1alpha1.Domain]{
	Status: func(domain *v1alpha1.Domain) base.Status {
		s := &domain.Status
		return base.Status{
			Whole: s, Conditions: &s.Conditions, ObservedGeneration: &s.ObservedGeneration, Deleting: s.Phase == v1alpha1.DomainDeleting,
		}
	},
	SetPhase: func(domain *v1alpha1.Domain) { domain.Status.Phase = phaseOf(domain) },
	Failed:   failed,
}

// set sets a condition in the status.
var set = statusKind.Set

// begin records that the spec is being carried out.
func begin(domain *v1alpha1.Domain) {
	message := "The domain is being changed in Takaro."
	if record, found := current(domain); found && record.State == ownership.Intended {
		message = "The domain is being created in Takaro."
	}
	set(domain, v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, message)
	statusKind.Observed(domain)
}

// setRootCredentials reports whether the root login is known, and if not, what to do.
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

// conclude sets the conditions from the outcome of an attempt.
func conclude(domain *v1alpha1.Domain, blocked *base.Blocked) {
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
	statusKind.Observed(domain)
}

func setEndpointAnswers(domain *v1alpha1.Domain) {
	set(domain, v1alpha1.ConditionEndpointReady, metav1.ConditionTrue, v1alpha1.ReasonEndpointAnswers,
		"Takaro answers and takes the admin token")
}

// answered is the set of reasons of Synced that result from a response of Takaro to a request with
// the admin token.
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

// undecided is the set of reasons that neither confirm that the domain is as specified nor indicate
// a problem.
var undecided = map[string]bool{
	v1alpha1.ReasonReconciling:       true,
	v1alpha1.ReasonEndpointVerifying: true,
}

// failed is the set of reasons that require action by a user or an administrator.
var failed = problem.Failed(
	v1alpha1.ReasonExternalReferenceTaken, v1alpha1.ReasonReferenceChanged, v1alpha1.ReasonLedgerNotKept,
)

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

// report writes the status if it changed and returns when to reconcile again.
func (r *reconciler) report(ctx context.Context, a *attempt, stored *v1alpha1.Domain, blocked *base.Blocked) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.domain, stored, blocked); passing {
		return result, err
	}
	if blocked.KeepsReady() && r.Fulfilled(stored) {
		// Neither a restart of the controller nor a pause that Takaro requests changes an object
		// that is Ready.
		return reconcile.Result{RequeueAfter: blocked.RequeueAfter}, blocked.Err
	}
	a.project()
	conclude(a.domain, blocked)
	if err := r.count(ctx, a.domain); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.Write(ctx, a.domain, stored); err != nil {
		return reconcile.Result{}, err
	}
	r.announce(a, stored)
	return r.After(a.domain, blocked)
}

// announce emits an event when the reason of Ready changed, including when a problem was resolved.
func (r *reconciler) announce(a *attempt, stored *v1alpha1.Domain) {
	now := meta.FindStatusCondition(a.domain.Status.Conditions, v1alpha1.ConditionReady)
	before := meta.FindStatusCondition(stored.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case before != nil && before.Reason == now.Reason && before.Status == now.Status:
	case now.Status == metav1.ConditionFalse:
		r.Warn(a.domain, now.Reason, "%s", now.Message)
	case before != nil && before.Status == metav1.ConditionFalse:
		r.Note(a.domain, base.EventRecovered, "%s", now.Message)
	}
}
