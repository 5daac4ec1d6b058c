// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// userReferences lists the Secret of a password: it is sent to the Takaro of a Domain, and copied into another Secret.
func userReferences(object runtime.Object) []reference {
	user, ok := object.(*takaro.User)
	if !ok || user.Spec.PasswordSecretRef == nil {
		return nil
	}
	return []reference{{field: "spec.passwordSecretRef", name: user.Spec.PasswordSecretRef.Name, key: user.Spec.PasswordSecretRef.Key}}
}
