// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"errors"
	"strconv"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// factPasswordRefused records that Takaro's login rejected the password. Its parts are those of
// ownership.FactPasswordAccepted and the generation, so that a changed spec causes another attempt.
const factPasswordRefused = "password-refused"

// checkPassword checks whether Takaro accepts the password for the user with the id. A rejected
// password never replaces the one in the Secret, which was accepted before and may have no other
// copy. If the stored password works, it is used instead of a generated one; with a given one, it
// stays in the Secret.
func (r *reconciler) checkPassword(ctx context.Context, a *attempt, id string) *base.Blocked {
	accepted, blocked := r.works(ctx, a, id, a.password)
	if blocked != nil {
		return blocked
	}
	a.accepted, a.published = accepted, a.password
	another := !a.stored.IsEmpty() && !a.stored.Equal(a.password)
	if !accepted {
		a.published = takaro.Secret{}
		if another || a.facts == nil && !a.given {
			a.published = a.stored
		}
	}
	if !accepted && another && !a.given {
		if a.accepted, blocked = r.works(ctx, a, id, a.stored); blocked != nil {
			return blocked
		}
	}
	r.recordSeed(a)
	setPasswordValid(a)
	return nil
}

// works reports whether Takaro accepts the password. It tries a login unless the result is recorded
// as a fact.
func (r *reconciler) works(ctx context.Context, a *attempt, id string, password takaro.Secret) (bool, *base.Blocked) {
	parts := []string{a.url, a.place.DomainID, id, password.Reveal()}
	attempted := append(parts[:len(parts):len(parts)], strconv.FormatInt(a.user.Generation, 10))
	status := a.user.Status.Ownership
	if a.facts != nil {
		switch {
		case a.facts.Known(status, ownership.FactPasswordAccepted, parts...):
			return true, nil
		case a.facts.Known(status, factPasswordRefused, attempted...):
			return false, nil
		}
	}
	accepted, blocked := r.login(ctx, a, password)
	if blocked != nil || a.facts == nil {
		return accepted, blocked
	}
	if accepted {
		a.facts.Know(status, ownership.FactPasswordAccepted, parts...)
	} else {
		a.facts.Know(status, factPasswordRefused, attempted...)
	}
	return accepted, nil
}

// login tries a password. Takaro rejects every login while its identity service is unavailable.
// Therefore a rejection counts only if that service is found to work and the login is rejected
// again.
func (r *reconciler) login(ctx context.Context, a *attempt, password takaro.Secret) (bool, *base.Blocked) {
	const doing = "trying the user's login"
	err := a.Client.Login(ctx, a.user.Spec.Email, password)
	if err == nil {
		return true, nil
	}
	if !takaro.IsUnauthorized(err) {
		return false, problem.Classify(doing, err)
	}
	works, err := a.Client.IssuesTokens(ctx, a.place.DomainID)
	if err != nil {
		return false, problem.Classify(doing, err)
	}
	if !works {
		return false, &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonEndpointUnavailable, Err: errIdentities,
			Message: "Takaro refuses the user's login, and issues no token either: its identity service seems to be unavailable. " +
				"The login is tried again."}
	}
	err = a.Client.Login(ctx, a.user.Spec.Email, password)
	switch {
	case err == nil:
		return true, nil
	case takaro.IsUnauthorized(err):
		return false, nil
	default:
		return false, problem.Classify(doing, err)
	}
}

var errIdentities = errors.New("the identity service of Takaro seems to be unavailable")
