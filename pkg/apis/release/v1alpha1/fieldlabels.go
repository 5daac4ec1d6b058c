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
		"Approval":        {"metadata.name", "spec.environment", "spec.subject.name", "status.decision"},
		"CRDSchema":       {"metadata.name", "spec.operatorVersionRef.name", "status.approval", "status.crd", "status.phase"},
		"Operator":        {"metadata.name", "status.phase"},
		"OperatorVersion": {"metadata.name", "spec.operatorRef.name", "status.phase"},
	})
}
