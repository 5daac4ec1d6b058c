// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// domainReferences returns the Secrets of a Domain. The admin token is sent to any server at the
// address of Takaro that has a certificate of the CA. Game servers send the registration token,
// which the status names, to the connector.
func domainReferences(object runtime.Object) []reference {
	domain, ok := object.(*takaro.Domain)
	if !ok {
		return nil
	}
	spec := &domain.Spec
	found := takaroReferences(spec.TakaroAPIURL, spec.CredentialsSecretRef, spec.CABundleSecretRef)
	if ref := domain.Status.RegistrationTokenSecretRef; ref != nil {
		connector := cmp.Or(spec.ConnectorURL, "the default connector of "+spec.TakaroAPIURL)
		found = append(found, reference{field: "spec.connectorUrl", name: ref.Name, to: connector})
	}
	return found
}

// takaroReferences returns the Secrets that are used for requests to a Takaro.
func takaroReferences(address string, credentials, ca *takaro.SecretKeyReference) []reference {
	var found []reference
	if credentials != nil {
		found = append(found, reference{
			field: "spec.credentialsSecretRef", name: credentials.Name, key: credentials.Key, to: address, with: []any{ca},
		})
	}
	if ca != nil {
		found = append(found, reference{field: "spec.caBundleSecretRef", name: ca.Name, key: ca.Key})
	}
	return found
}
