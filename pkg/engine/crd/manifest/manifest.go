// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// ComparedSpec returns the spec that comparisons use: with the defaults of v1, and without the caBundle, which other controllers inject.
func ComparedSpec(definition *apiextensionsv1.CustomResourceDefinition) apiextensionsv1.CustomResourceDefinitionSpec {
	spec := Defaulted(definition).Spec
	if spec.Conversion != nil && spec.Conversion.Webhook != nil && spec.Conversion.Webhook.ClientConfig != nil {
		spec.Conversion.Webhook.ClientConfig.CABundle = nil
	}
	return spec
}

// Defaulted returns a copy with the defaults of the API server. Schemas are large and get no defaults;
// the copy shares them with the original.
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

// LiveStatus returns the status of a CRD in a cluster. For a manifest it returns the status that the
// API server would set shortly after the manifest is applied.
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

// WithVersion returns the version names including name, which is appended if it is missing.
func WithVersion(versions []string, name string) []string {
	if slices.Contains(versions, name) {
		return versions
	}
	return append(slices.Clone(versions), name)
}
