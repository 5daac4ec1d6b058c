// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Length limits of a password that Takaro's login accepts.
const (
	minPassword = 8
	maxPassword = 50
)

// choosePassword sets the attempt's password to the given one or, if none is given, to the
// generated one. If the seed is lost, a given password is used without recorded facts, and a login
// in the Secret stays in use.
func (r *reconciler) choosePassword(ctx context.Context, a *attempt) *base.Blocked {
	given, found, blocked := r.givenPassword(ctx, a.user)
	if blocked != nil {
		return blocked
	}
	seed, blocked := r.seed.get(ctx)
	lost := blocked != nil && blocked.Reason == v1alpha1.ReasonSeedUnusable
	switch {
	case blocked != nil && !lost:
		return blocked
	case found:
		a.password, a.given = given, true
	case lost && (a.stored.IsEmpty() || a.user.Status.Ownership == nil):
		return blocked
	case lost:
		a.password = a.stored
	default:
		a.password, a.seed = derive(seed, a.url, a.user.Namespace, a.user.Spec.Email), fingerprint(seed)
	}
	if lost {
		return nil
	}
	facts, err := ownership.NewFacts(seed)
	if err != nil {
		return problem.Classify("generating the password", err)
	}
	a.facts = facts
	return nil
}

// givenPassword returns the password in the Secret that the spec refers to, or in spec.password. It
// returns false if neither is set.
func (r *reconciler) givenPassword(ctx context.Context, user *v1alpha1.User) (takaro.Secret, bool, *base.Blocked) {
	if ref := user.Spec.PasswordSecretRef; ref != nil {
		password, blocked := r.passwordFromSecret(ctx, user, ref)
		return password, blocked == nil, blocked
	}
	password, given, err := r.given.read(ctx, user)
	if apierrors.IsNotFound(err) {
		return takaro.Secret{}, false, outdated()
	}
	if err != nil {
		return takaro.Secret{}, false, problem.Classify("reading the given password", err)
	}
	return password, given, nil
}

func (r *reconciler) passwordFromSecret(
	ctx context.Context, user *v1alpha1.User, ref *v1alpha1.SecretKeyReference,
) (takaro.Secret, *base.Blocked) {
	key := types.NamespacedName{Namespace: user.Namespace, Name: ref.Name}
	if err := r.Protector.Hold(ctx, key); err != nil {
		return takaro.Secret{}, problem.Classify("protecting Secret "+ref.Name, err)
	}
	secret, err := r.Secrets.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return takaro.Secret{}, &base.Blocked{Reason: v1alpha1.ReasonSecretNotFound,
			Message: fmt.Sprintf("Secret %q not found. Create it or fix spec.passwordSecretRef.", ref.Name)}
	}
	if err != nil {
		return takaro.Secret{}, problem.Classify("reading Secret "+ref.Name, err)
	}
	// A file that was written by an editor ends with a line break that is not part of the password.
	text := strings.TrimRight(string(secret.Data[ref.Key]), "\r\n")
	if length := utf8.RuneCountInString(text); length < minPassword || length > maxPassword {
		return takaro.Secret{}, &base.Blocked{Reason: v1alpha1.ReasonSecretKeyMissing, Message: fmt.Sprintf(
			"Secret %q has no password of %d to %d characters under key %q. Correct it or fix spec.passwordSecretRef.",
			ref.Name, minPassword, maxPassword, ref.Key)}
	}
	return takaro.NewSecret(text), nil
}
