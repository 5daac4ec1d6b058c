// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// NewestServer is the newest version of Kubernetes that changes are evaluated for.
const NewestServer = "1.37"

// VersionOf returns the version of a CRD with the given name, or nil.
func VersionOf(definition *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Name == name {
			return &definition.Spec.Versions[i]
		}
	}
	return nil
}

// StatusOf returns the status subresource of a version, or nil.
func StatusOf(version *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceSubresourceStatus {
	if version == nil || version.Subresources == nil {
		return nil
	}
	return version.Subresources.Status
}
