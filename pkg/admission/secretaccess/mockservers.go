// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// mockServerReferences lists the Secrets whose content goes to a Takaro or a Redis of the author's choice.
func mockServerReferences(object runtime.Object) []reference {
	server, ok := object.(*takaro.MockServer)
	if !ok {
		return nil
	}
	var found []reference
	if ref := server.Spec.CredentialsSecretRef; ref != nil {
		found = append(found, reference{field: "spec.credentialsSecretRef", name: ref.Name, key: ref.Key})
	}
	if ref := server.Spec.CABundleSecretRef; ref != nil {
		found = append(found, reference{field: "spec.caBundleSecretRef", name: ref.Name, key: ref.Key})
	}
	if redis := server.Spec.Redis; redis != nil && redis.PasswordSecretRef != nil {
		found = append(found, reference{field: "spec.redis.passwordSecretRef", name: redis.PasswordSecretRef.Name, key: redis.PasswordSecretRef.Key})
	}
	return found
}
