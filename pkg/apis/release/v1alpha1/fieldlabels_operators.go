// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

func init() {
	localSchemeBuilder.Register(addOperatorFieldLabels)
}

// addOperatorFieldLabels says which fields of OperatorVersions and CRDSchemas field selectors may name.
func addOperatorFieldLabels(scheme *runtime.Scheme) error {
	for kind, labels := range map[string][]string{
		"OperatorVersion": {"metadata.name", "spec.operatorRef.name"},
		"CRDSchema":       {"metadata.name", "spec.operatorVersionRef.name", "status.approval", "status.crd"},
	} {
		err := scheme.AddFieldLabelConversionFunc(SchemeGroupVersion.WithKind(kind), func(label, value string) (string, string, error) {
			if !slices.Contains(labels, label) {
				return "", "", fmt.Errorf("%q is no field that a %s can be selected by: use one of %s", label, kind, strings.Join(labels, ", "))
			}
			return label, value, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
