// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/fieldlabels"
)

func init() {
	localSchemeBuilder.Register(addFieldLabels)
}

// addFieldLabels registers the fields that field selectors may use.
func addFieldLabels(scheme *runtime.Scheme) error {
	return fieldlabels.Register(scheme, SchemeGroupVersion, map[string][]string{
		"Domain":         {"metadata.name", "metadata.namespace", "spec.takaroApiUrl", "status.domainId", "status.phase"},
		"MockServer":     {"metadata.name", "metadata.namespace", "spec.domainRef.name", "status.phase"},
		"TakaroEndpoint": {"metadata.name", "metadata.namespace", "spec.url"},
		"User":           {"metadata.name", "metadata.namespace", "spec.domainRef.name", "spec.email", "status.phase"},
	})
}
