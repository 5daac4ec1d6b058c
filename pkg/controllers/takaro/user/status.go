// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// statusKind describes how Users report their status.
var statusKind = base.Kind[*v1alpha1.User]{
	Status: func(user *v1alpha1.User) base.Status {
		s := &user.Status
		return base.Status{
			Whole: s, Conditions: &s.Conditions, ObservedGeneration: &s.ObservedGeneration, Deleting: s.Phase == v1alpha1.UserDeleting,
		}
	},
	SetPhase: func(user *v1alpha1.User) { user.Status.Phase = phaseOf(user) },
	Failed:   failed,
}

// set sets a condition in the status.
var set = statusKind.Set

// reconciling records that a spec is being carried out.
func reconciling(user *v1alpha1.User, message string) {
	set(user, v1alpha1.ConditionReady, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, message)
	statusKind.Observed(user)
}

// conclude sets the conditions from the outcome of an attempt. It removes conditions of an earlier
// attempt with another outcome.
func conclude(a *attempt, blocked *base.Blocked) {
	user := a.user
	if blocked == nil {
		concludeRoles(user, a.missing)
		status, reason, message := readiness(a)
		set(user, v1alpha1.ConditionReady, status, reason, message)
	} else {
		set(user, v1alpha1.ConditionSynced, blocked.Status(), blocked.Reason, blocked.Message)
		set(user, v1alpha1.ConditionRolesAssigned, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
		set(user, v1alpha1.ConditionReady, metav1.ConditionFalse, blocked.Reason, blocked.Message)
	}
	statusKind.Observed(user)
}

func concludeRoles(user *v1alpha1.User, missing []string) {
	if len(missing) == 0 {
		set(user, v1alpha1.ConditionSynced, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "the Takaro user is as specified")
		set(user, v1alpha1.ConditionRolesAssigned, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, "the user has every role of the spec")
		return
	}
	set(user, v1alpha1.ConditionSynced, metav1.ConditionFalse, v1alpha1.ReasonRolesMissing, missingMessage(user, missing))
	set(user, v1alpha1.ConditionRolesAssigned, metav1.ConditionFalse, v1alpha1.ReasonRolesMissing, missingMessage(user, missing))
}

func missingMessage(user *v1alpha1.User, missing []string) string {
	return fmt.Sprintf("The Takaro domain of Domain %q has no role %s (names are case-sensitive). The other roles are assigned. "+
		"Create it in Takaro, or remove it from spec.roles.",
		user.Spec.DomainRef.Name, strings.Join(missing, ", "))
}

// readiness returns whether a User whose work is done is Ready. A User without a login that works
// is not Ready, unless it adopted a user, whose password may be unknown.
func readiness(a *attempt) (metav1.ConditionStatus, string, string) {
	switch {
	case !a.accepted && a.given:
		return metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused,
			"Takaro's login does not accept the given password. See the condition PasswordValid."
	case !a.accepted && !a.user.Spec.Adopt:
		return metav1.ConditionFalse, v1alpha1.ReasonPasswordUnknown,
			"No password is known that Takaro's login accepts. See the condition PasswordValid."
	case len(a.missing) > 0:
		return metav1.ConditionFalse, v1alpha1.ReasonRolesMissing, missingMessage(a.user, a.missing)
	default:
		return metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, fmt.Sprintf("Takaro user %s is as specified", a.user.Status.UserID)
	}
}

// setPasswordValid reports whether Takaro's login accepts the password, and if not, what to do.
func setPasswordValid(a *attempt) {
	no := func(reason, message string) {
		set(a.user, v1alpha1.ConditionPasswordValid, metav1.ConditionFalse, reason, message)
	}
	kept := "The Secret has no password."
	if !a.published.IsEmpty() {
		kept = "The Secret keeps the former password."
	}
	switch {
	case a.accepted:
		set(a.user, v1alpha1.ConditionPasswordValid, metav1.ConditionTrue, v1alpha1.ReasonPasswordAccepted, "Takaro's login accepts the password")
	case a.given:
		no(v1alpha1.ReasonPasswordRefused, "Takaro knew this e-mail address before, and its login does not accept the given password. "+kept+
			" Passwords cannot be changed over Takaro's API: give the password that the identity has, "+
			"or let its owner reset it in Takaro to the given one and then change the spec, or use another address in a new object.")
	default:
		no(v1alpha1.ReasonPasswordUnknown, "Takaro knew this e-mail address before, with a password that only its owner knows. "+kept+
			" Give that password in spec.passwordSecretRef, or use another address in a new object.")
	}
}

// failed is the set of reasons that require action by a user or an administrator.
var failed = problem.Failed(
	v1alpha1.ReasonMaxUsersReached, v1alpha1.ReasonEmailReserved, v1alpha1.ReasonRolesMissing, v1alpha1.ReasonEmailTaken,
	v1alpha1.ReasonPasswordRefused, v1alpha1.ReasonPasswordUnknown, v1alpha1.ReasonSeedUnusable,
)

// phaseOf derives the phase from the conditions.
func phaseOf(user *v1alpha1.User) v1alpha1.UserPhase {
	found := meta.FindStatusCondition(user.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case user.DeletionTimestamp != nil:
		return v1alpha1.UserDeleting
	case found != nil && found.Status == metav1.ConditionTrue:
		return v1alpha1.UserReady
	case found != nil && found.Status == metav1.ConditionFalse && failed[found.Reason]:
		return v1alpha1.UserError
	case intended(user):
		return v1alpha1.UserCreating
	default:
		return v1alpha1.UserPending
	}
}

// keepsReady reports whether a User that is Ready stays Ready, because nothing is known to be
// wrong.
func keepsReady(blocked *base.Blocked) bool {
	return blocked.KeepsReady() || blocked != nil && blocked.Reason == v1alpha1.ReasonDomainInMaintenance
}

// report writes the status if it changed and returns when to reconcile again.
func (r *reconciler) report(ctx context.Context, a *attempt, stored *v1alpha1.User, blocked *base.Blocked) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.user, stored, blocked); passing {
		return result, err
	}
	if keepsReady(blocked) && r.Fulfilled(stored) {
		return reconcile.Result{RequeueAfter: blocked.RequeueAfter}, blocked.Err
	}
	conclude(a, blocked)
	if err := r.Write(ctx, a.user, stored); err != nil {
		return reconcile.Result{}, err
	}
	r.Announce(a.user, stored, "the User is Ready again")
	if blocked == nil && len(a.missing) > 0 {
		r.Refusals.Forget(client.ObjectKeyFromObject(a.user))
		return reconcile.Result{RequeueAfter: problem.ForeignWait}, nil
	}
	return r.After(a.user, blocked)
}

// sentence returns the message with a full stop.
func sentence(message string) string { return strings.TrimSuffix(message, ".") + "." }
