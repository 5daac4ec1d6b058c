// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"crypto/sha256"
	"encoding/hex"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// InstallationFor derives the default name of an installation from the UID of its cluster's namespace kube-system.
func InstallationFor(kubeSystem types.UID) string {
	sum := sha256.Sum256([]byte(kubeSystem))
	return hex.EncodeToString(sum[:])[:12]
}

// typed tells whether the user chose the reference.
func typed(domain *v1alpha1.Domain) bool {
	return domain.Spec.ExternalReferenceID != ""
}

// referenceOf returns the externalReference by which the domain is known in Takaro. One that was generated is taken from
// the status while that has it, so that a renamed installation does not lose its domains.
func referenceOf(domain *v1alpha1.Domain, installation string) string {
	if typed(domain) {
		return domain.Spec.ExternalReferenceID
	}
	if domain.Status.ExternalReferenceID != "" {
		return domain.Status.ExternalReferenceID
	}
	return "roadstead:" + installation + ":" + string(domain.UID)
}
