// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

func init() {
	localSchemeBuilder.Register(addApprovalFieldLabels)
}

// addApprovalFieldLabels says which fields of Approvals field selectors may name.
func addApprovalFieldLabels(scheme *runtime.Scheme) error {
	return scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind("Approval"), func(label, value string) (string, string, error) {
		switch label {
		case "metadata.name", "status.decision", "spec.environment":
			return label, value, nil
		}
		return "", "", fmt.Errorf("%q is no field that Approvals can be selected by: use metadata.name, status.decision or spec.environment", label)
	})
}
