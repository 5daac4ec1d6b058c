// SPDX-License-Identifier: Apache-2.0

package problem

import "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"

// Failed returns the reasons that require action by a user or an administrator: those of all kinds
// that use Takaro, and further ones of a kind.
func Failed(further ...string) map[string]bool {
	failed := map[string]bool{
		v1alpha1.ReasonEndpointNotConfigured: true,
		v1alpha1.ReasonEndpointNotTakaro:     true,
		v1alpha1.ReasonEndpointRefused:       true,
		v1alpha1.ReasonAdminTokenRefused:     true,
		v1alpha1.ReasonSecretKeyMissing:      true,
		v1alpha1.ReasonSecretNameTaken:       true,
		v1alpha1.ReasonNamespaceNotServed:    true,
		v1alpha1.ReasonRequestRefused:        true,
		v1alpha1.ReasonSearchTooLarge:        true,
	}
	for _, reason := range further {
		failed[reason] = true
	}
	return failed
}
