// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/apis/takaro/validation"
)

// InstallationFor derives the default name of an installation from the UID of its cluster's
// namespace kube-system.
func InstallationFor(kubeSystem types.UID) string {
	sum := sha256.Sum256([]byte(kubeSystem))
	return hex.EncodeToString(sum[:])[:12]
}

// typed reports whether the user specified the reference.
func typed(domain *v1alpha1.Domain) bool {
	return domain.Spec.ExternalReferenceID != ""
}

// generatedKey returns the create key of a Domain for an installation.
func generatedKey(domain *v1alpha1.Domain, installation string) string {
	return validation.GeneratedReferencePrefix + installation + ":" + string(domain.UID)
}

// legacyKey returns the reference that an earlier release generated for this Domain, possibly with
// another name of the installation. It returns fallback if the status contains no such reference:
// the status may have been restored from that of another object.
func legacyKey(domain *v1alpha1.Domain, fallback string) string {
	reference := domain.Status.ExternalReferenceID
	if strings.HasPrefix(reference, validation.GeneratedReferencePrefix) && strings.HasSuffix(reference, ":"+string(domain.UID)) {
		return reference
	}
	return fallback
}

// wantedReference returns the externalReference that the Takaro domain of a Domain with the create
// key must have.
func wantedReference(domain *v1alpha1.Domain, key string) string {
	if typed(domain) {
		return domain.Spec.ExternalReferenceID
	}
	return key
}
