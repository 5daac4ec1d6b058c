// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro"
)

// mockServerReferences returns the Secrets of a MockServer. The password of Redis goes to the
// address of Redis, and to the program in the image, which has it in its environment.
//
// spec.imagePullSecrets are not among them: a kubelet sends each login to the registry that the
// Secret itself names.
func mockServerReferences(object runtime.Object) []reference {
	server, ok := object.(*takaro.MockServer)
	if !ok {
		return nil
	}
	spec := &server.Spec
	found := takaroReferences(spec.TakaroAPIURL, spec.CredentialsSecretRef, spec.CABundleSecretRef)
	if redis := spec.Redis; redis != nil && redis.PasswordSecretRef != nil {
		found = append(found, reference{
			field: "spec.redis.passwordSecretRef", name: redis.PasswordSecretRef.Name, key: redis.PasswordSecretRef.Key,
			to: fmt.Sprintf("%s:%d", redis.Host, ptr.Deref(redis.Port, 6379)), with: []any{redis.Username, spec.Image},
		})
	}
	return found
}
