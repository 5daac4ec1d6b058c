// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ComparedSpec returns the spec as it counts: with the defaults of v1, and without the caBundle, which others inject.
func ComparedSpec(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionSpec {
	spec := Defaulted(definition).Spec
	if spec.Conversion != nil && spec.Conversion.Webhook != nil && spec.Conversion.Webhook.ClientConfig != nil {
		spec.Conversion.Webhook.ClientConfig.CABundle = nil
	}
	return spec
}

// Defaulted returns a copy with what the API server fills in. Schemas, which are large and get no defaults, are shared with the
// original.
func Defaulted(original *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	copied := *original
	definition := &copied
	definition.Spec.Conversion = original.Spec.Conversion.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	if definition.Spec.Conversion != nil && definition.Spec.Conversion.Webhook != nil &&
		definition.Spec.Conversion.Webhook.ClientConfig != nil &&
		definition.Spec.Conversion.Webhook.ClientConfig.Service != nil {
		apiextensionsv1.SetDefaults_ServiceReference(definition.Spec.Conversion.Webhook.ClientConfig.Service)
	}
	return definition
}

// LiveStatus returns the status of a definition in a cluster; that of a manifest is what it would be soon after its apply.
func LiveStatus(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionStatus {
	status := *definition.Status.DeepCopy()
	if len(status.Conditions) == 0 && len(status.StoredVersions) == 0 {
		status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue},
		}
	}
	if len(status.StoredVersions) == 0 {
		for _, version := range definition.Spec.Versions {
			if version.Storage {
				status.StoredVersions = []string{version.Name}
			}
		}
	}
	return status
}

// WithVersion returns the names of versions with another one, which is added where it is missing.
func WithVersion(versions []string, name string) []string {
	if slices.Contains(versions, name) {
		return versions
	}
	return append(slices.Clone(versions), name)
}
