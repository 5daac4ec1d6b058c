// SPDX-License-Identifier: Apache-2.0

package user

import (
	"context"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// secretSuffix comes behind the User's name in that of its Secret.
const secretSuffix = "-takaro-user"

// Keys of the Secret that users read.
const (
	keyUsername     = "username"
	keyEmail        = "email"
	keyPassword     = "password"
	keyDomainID     = "domainId"
	keyTakaroAPIURL = "takaroApiUrl"
)

func secretName(user *v1alpha1.User) string { return user.Name + secretSuffix }

// secretData is the content of the User's Secret. A generated password that Takaro does not take is not in it: whoever
// waits for the key must not get one that does not work.
func secretData(a *attempt) map[string][]byte {
	data := map[string][]byte{
		keyUsername:     []byte(a.user.Spec.Email),
		keyEmail:        []byte(a.user.Spec.Email),
		keyDomainID:     []byte(a.domain.Status.DomainID),
		keyTakaroAPIURL: []byte(a.domain.Spec.TakaroAPIURL),
	}
	if a.accepted || a.given {
		data[keyPassword] = []byte(a.password.Reveal())
	}
	return data
}

// publish keeps the login in the User's Secret.
func (r *reconciler) publish(ctx context.Context, a *attempt) *problem.Problem {
	if err := r.secrets.Apply(ctx, a.user, secretName(a.user), secretData(a)); err != nil {
		return problem.Classify("writing the login", err)
	}
	a.user.Status.CredentialsSecretRef = &v1alpha1.LocalObjectReference{Name: secretName(a.user)}
	return nil
}
