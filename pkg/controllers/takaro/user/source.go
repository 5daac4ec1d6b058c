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
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/takaro"
)

// Bounds of a password that Takaro's login takes.
const (
	minPassword = 8
	maxPassword = 50
)

// choosePassword sets the attempt's password: from the Secret that the spec names, from spec.password, else derived.
func (r *reconciler) choosePassword(ctx context.Context, a *attempt) *problem.Problem {
	if ref := a.user.Spec.PasswordSecretRef; ref != nil {
		return r.passwordFromSecret(ctx, a, ref)
	}
	password, given, err := r.given.read(ctx, a.user.Namespace, a.user.Name)
	if apierrors.IsNotFound(err) {
		return outdated()
	}
	if err != nil {
		return problem.Classify("reading the given password", err)
	}
	if given {
		a.password, a.given = password, true
		return nil
	}
	seed, err := r.seed.get(ctx)
	if err != nil {
		return problem.Classify("generating the password", err)
	}
	a.password = derive(seed, a.url, a.user.Namespace, a.user.Spec.Email)
	return nil
}

func (r *reconciler) passwordFromSecret(ctx context.Context, a *attempt, ref *v1alpha1.SecretKeyReference) *problem.Problem {
	key := types.NamespacedName{Namespace: a.user.Namespace, Name: ref.Name}
	if err := r.protector.Hold(ctx, key); err != nil {
		return problem.Classify("protecting Secret "+ref.Name, err)
	}
	secret, err := r.secrets.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return &problem.Problem{Reason: v1alpha1.ReasonSecretNotFound, Message: fmt.Sprintf("spec.passwordSecretRef: Secret %q is not there; waiting for it", ref.Name)}
	}
	if err != nil {
		return problem.Classify("reading Secret "+ref.Name, err)
	}
	// A file made by an editor ends with a line break, which nobody means.
	text := strings.TrimRight(string(secret.Data[ref.Key]), "\r\n")
	if length := utf8.RuneCountInString(text); length < minPassword || length > maxPassword {
		return &problem.Problem{Reason: v1alpha1.ReasonSecretKeyMissing, Message: fmt.Sprintf(
			"spec.passwordSecretRef: Secret %q has no password of %d to %d characters under key %q; waiting for one", ref.Name, minPassword, maxPassword, ref.Key)}
	}
	a.password, a.given = takaro.NewSecret(text), true
	return nil
}
