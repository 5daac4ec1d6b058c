// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"strings"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// upgrade creates the ledger of an object that an earlier release stored. The user in its status is
// held if it has the e-mail address in the spec. It is recorded as created by Roadstead if that is
// proved (see proved), and is never deleted otherwise.
func (r *reconciler) upgrade(ctx context.Context, a *attempt) *base.Blocked {
	if a.user.Status.Ownership != nil {
		return nil
	}
	status := &ownership.Status{}
	if id := a.user.Status.UserID; id != "" {
		want := wantOf(a)
		if !a.State.Verified {
			want.Delete = false // this decision is about the endpoint, not about the deletion
			return problem.OfDecision(ownership.Decide(want, ownership.Observed{}, nil, a.State.Endpoint, r.Clock.Now()))
		}
		list, err := r.roster.list(ctx, a.place, a.Client, 0)
		if err != nil {
			return problem.Classify("listing the users in Takaro", err)
		}
		if found, listed := r.roster.byID(list, id); listed && !isRoot(&found) {
			proved, blocked := r.proved(ctx, a)
			if blocked != nil {
				return blocked
			}
			object := objectOf(&found)
			status.Records = ownership.Import(nil, want, ownership.Legacy{ID: id, Proved: proved}, &object, r.Clock.Now())
		}
	}
	a.user.Status.Ownership = status
	if err := r.Client.Status().Update(ctx, a.user); err != nil {
		return problem.Classify("recording the user", err)
	}
	return nil
}

// proved reports whether the User's Secret holds, for this domain, the password that Roadstead
// derives for the e-mail address. The Secret contains it only if Takaro's login accepted it, and
// only an identity that Roadstead created has it. A given password is no proof.
func (r *reconciler) proved(ctx context.Context, a *attempt) (bool, *base.Blocked) {
	if a.user.Spec.PasswordSecretRef != nil || a.stored.IsEmpty() {
		return false, nil
	}
	if string(a.secret.Data[keyDomainID]) != a.place.DomainID || !strings.EqualFold(string(a.secret.Data[keyEmail]), a.user.Spec.Email) {
		return false, nil
	}
	if _, given, blocked := r.givenPassword(ctx, a.user); given || blocked != nil {
		return false, blocked
	}
	seed, blocked := r.seed.get(ctx)
	if blocked != nil {
		return false, blocked
	}
	return a.stored.Equal(derive(seed, a.url, a.user.Namespace, a.user.Spec.Email)), nil
}

// readSecret reads the User's own Secret.
func (r *reconciler) readSecret(ctx context.Context, a *attempt) *base.Blocked {
	secret, err := r.Secrets.Find(ctx, a.user, secretName(a.user))
	if err != nil {
		return problem.Classify("reading Secret "+secretName(a.user), err)
	}
	if a.secret = secret; secret != nil {
		a.stored = takaro.NewSecret(string(secret.Data[keyPassword]))
	}
	return nil
}
