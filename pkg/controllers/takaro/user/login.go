// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// verdict is what is known of a password.
type verdict string

const (
	accepted verdict = "accepted"
	refused  verdict = "refused"
	// untried: only a login can tell.
	untried verdict = "untried"
)

// evidence is all that the verdict without a login depends on.
type evidence struct {
	// condition is PasswordValid as it stands, nil without one.
	condition *metav1.Condition
	// generation of the object.
	generation int64
	// sameUser: the condition speaks of the user that was found.
	sameUser bool
	// given: the password was given, not generated.
	given bool
	// samePassword: the User's Secret holds the password.
	samePassword bool
}

// recall is a pure function of the evidence. A password is tried when it or the user changed; one that was refused, also
// when the spec changed.
func recall(e evidence) verdict {
	if e.condition == nil || !e.sameUser {
		return untried
	}
	switch e.condition.Status {
	case metav1.ConditionTrue:
		if e.samePassword {
			return accepted
		}
	case metav1.ConditionFalse:
		if e.condition.ObservedGeneration == e.generation && e.condition.Reason == refusedReason(e.given) && (!e.given || e.samePassword) {
			return refused
		}
	}
	return untried
}

func refusedReason(given bool) string {
	if given {
		return v1alpha1.ReasonPasswordRefused
	}
	return v1alpha1.ReasonPasswordUnknown
}

// checkPassword finds out whether Takaro takes the password, by a login only where nothing else tells. secret is the
// User's own, nil without one; sameUser tells that the status speaks of the user that was found.
func (r *reconciler) checkPassword(ctx context.Context, a *attempt, secret *corev1.Secret, sameUser bool) *problem.Problem {
	var stored takaro.Secret
	if secret != nil {
		stored = takaro.NewSecret(string(secret.Data[keyPassword]))
	}
	result := recall(evidence{
		condition: meta.FindStatusCondition(a.user.Status.Conditions, v1alpha1.ConditionPasswordValid), generation: a.user.Generation,
		sameUser: sameUser, given: a.given, samePassword: stored.Equal(a.password),
	})
	var blocked *problem.Problem
	if result == untried {
		result, blocked = r.login(ctx, a, a.password)
	}
	if blocked == nil && result == refused && !a.given && !stored.IsEmpty() && !stored.Equal(a.password) {
		// Generated with a seed that is not the present one any more, and still good.
		if result, blocked = r.login(ctx, a, stored); blocked == nil && result == accepted {
			a.password = stored
		}
	}
	if blocked == nil {
		a.accepted = result == accepted
		setPasswordValid(a.user, a.accepted, a.given)
	}
	return blocked
}

// login tries a password. Takaro refuses every login while its identity service is down, so a refusal counts only when that
// service is seen to work and the login is refused again.
func (r *reconciler) login(ctx context.Context, a *attempt, password takaro.Secret) (verdict, *problem.Problem) {
	const doing = "trying the user's login"
	err := a.client.Login(ctx, a.user.Spec.Email, password)
	if err == nil {
		return accepted, nil
	}
	if !takaro.IsUnauthorized(err) {
		return untried, problem.Classify(doing, err)
	}
	works, err := a.client.HasRootUser(ctx, a.domain.Status.DomainID)
	if err != nil {
		return untried, problem.Classify(doing, err)
	}
	if !works {
		return untried, &problem.Problem{Endpoint: true, Reason: v1alpha1.ReasonEndpointUnavailable, Retry: errIdentities,
			Message: "Takaro refuses the user's login, and gives no token either: its identity service seems to be down; trying again"}
	}
	err = a.client.Login(ctx, a.user.Spec.Email, password)
	switch {
	case err == nil:
		return accepted, nil
	case takaro.IsUnauthorized(err):
		return refused, nil
	default:
		return untried, problem.Classify(doing, err)
	}
}

var errIdentities = errors.New("the identity service of Takaro seems to be down")

// setPasswordValid says whether the login works, and if not, what can be done.
func setPasswordValid(user *v1alpha1.User, works, given bool) {
	switch {
	case works:
		set(user, v1alpha1.ConditionPasswordValid, metav1.ConditionTrue, v1alpha1.ReasonPasswordAccepted, "Takaro's login takes the password")
	case given:
		set(user, v1alpha1.ConditionPasswordValid, metav1.ConditionFalse, v1alpha1.ReasonPasswordRefused,
			"Takaro knew this e-mail before and its login does not take the given password; passwords cannot be changed over Takaro's API: give the one that the identity has, or let its owner reset it in Takaro's login page to the given one and then touch the spec, or use another e-mail in a new object")
	default:
		set(user, v1alpha1.ConditionPasswordValid, metav1.ConditionFalse, v1alpha1.ReasonPasswordUnknown,
			"Takaro knew this e-mail before, with a password that only its owner knows; the user works with that one, and the Secret has none: give it in spec.passwordSecretRef if the Secret is to hold it, or use another e-mail in a new object")
	}
}
