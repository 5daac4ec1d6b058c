// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// Keys of the Secrets that users read.
const (
	keyToken        = "token"
	keyUsername     = "username"
	keyPassword     = "password"
	keyDomainID     = "domainId"
	keyTakaroAPIURL = "takaroApiUrl"
)

// Suffixes of the names of the Domain's Secrets, which follow the name of the Domain.
const (
	rootSuffix = "-root"
)

func registrationSecretName(domain *v1alpha1.Domain) string {
	return domain.Name + v1alpha1.RegistrationSecretSuffix
}
func rootSecretName(domain *v1alpha1.Domain) string { return domain.Name + rootSuffix }

// registrationData returns the content of the Secret that game servers register with. The token is
// Takaro's serverRegistrationToken, not a JWT.
func registrationData(domain *v1alpha1.Domain, record *takaro.Domain) map[string][]byte {
	return map[string][]byte{
		keyToken:        []byte(record.ServerRegistrationToken.Reveal()),
		keyDomainID:     []byte(record.ID),
		keyTakaroAPIURL: []byte(domain.Spec.TakaroAPIURL),
	}
}

// publish keeps the registration token in its Secret and reports whether the root login is known.
func (r *reconciler) publish(ctx context.Context, a *attempt, record *takaro.Domain) *base.Blocked {
	status := &a.domain.Status
	name := registrationSecretName(a.domain)
	if err := r.Secrets.Apply(ctx, a.domain, name, registrationData(a.domain, record)); err != nil {
		return classify("writing the registration token", err)
	}
	status.RegistrationTokenSecretRef = &v1alpha1.LocalObjectReference{Name: name}

	stored, err := r.restoreRoot(ctx, a.domain, record.ID)
	if err != nil {
		return classify("reading the root credentials", err)
	}
	status.RootCredentialsSecretRef = nil
	if stored {
		status.RootCredentialsSecretRef = &v1alpha1.LocalObjectReference{Name: rootSecretName(a.domain)}
	}
	setRootCredentials(a.domain, stored)
	return nil
}
