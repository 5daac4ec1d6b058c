// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// Keys of the Secret that users read.
const (
	keyUsername     = "username"
	keyEmail        = "email"
	keyPassword     = "password"
	keyDomainID     = "domainId"
	keyTakaroAPIURL = "takaroApiUrl"
)

func secretName(user *v1alpha1.User) string { return user.Name + v1alpha1.UserSecretSuffix }

// secretData returns the content of the User's Secret. It never contains a password that Takaro has
// not accepted, because clients that wait for the key must not get a password that does not work.
func secretData(a *attempt) map[string][]byte {
	data := map[string][]byte{
		keyUsername:     []byte(a.user.Spec.Email),
		keyEmail:        []byte(a.user.Spec.Email),
		keyDomainID:     []byte(a.place.DomainID),
		keyTakaroAPIURL: []byte(a.domain.Spec.TakaroAPIURL),
	}
	if !a.published.IsEmpty() {
		data[keyPassword] = []byte(a.published.Reveal())
	}
	return data
}

// publish stores the login in the User's Secret.
func (r *reconciler) publish(ctx context.Context, a *attempt) *base.Blocked {
	if err := r.Secrets.Apply(ctx, a.user, secretName(a.user), secretData(a)); err != nil {
		return problem.Classify("writing the login", err)
	}
	a.user.Status.CredentialsSecretRef = &v1alpha1.LocalObjectReference{Name: secretName(a.user)}
	return nil
}
