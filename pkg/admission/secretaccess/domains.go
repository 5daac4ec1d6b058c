// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// domainReferences returns the Secrets of a Domain. The admin token goes to whoever has a
// certificate of the CA at the address of Takaro. The registration token, which the status names,
// goes to the connector: the game servers send it there.
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

// takaroReferences returns the Secrets by which a Takaro is used.
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
