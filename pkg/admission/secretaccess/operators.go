// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// operatorReferences lists the Secrets whose content goes to a repository of the author's choice, or into the charts that it
// serves.
func operatorReferences(object runtime.Object) []reference {
	operator, ok := object.(*release.Operator)
	if !ok {
		return nil
	}
	var found []reference
	if ref := operator.Spec.Chart.CredentialsSecretRef; ref != nil {
		found = append(found, reference{field: "spec.chart.credentialsSecretRef", namespace: ref.Namespace, name: ref.Name})
	}
	for i, source := range operator.Spec.ValuesFrom {
		if ref := source.SecretRef; ref != nil {
			found = append(found, reference{field: fmt.Sprintf("spec.valuesFrom[%d].secretRef", i), namespace: ref.Namespace, name: ref.Name, key: ref.Key})
		}
	}
	return found
}
