// SPDX-License-Identifier: Apache-2.0

package secretaccess

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
)

// operatorReferences returns the Secrets of an Operator. The login is sent only to the repository;
// see package charts. Values are rendered into the chart, whose templates can copy them to a CRD
// that many users may read. All other values count as well, because charts often evaluate values as
// templates.
func operatorReferences(object runtime.Object) []reference {
	operator, ok := object.(*release.Operator)
	if !ok {
		return nil
	}
	spec := &operator.Spec
	var found []reference
	if ref := spec.Chart.CredentialsSecretRef; ref != nil {
		found = append(found, reference{
			field: "spec.chart.credentialsSecretRef", namespace: ref.Namespace, name: ref.Name,
			to: spec.Chart.Repository, with: []any{spec.Chart.Name},
		})
	}
	for i, source := range spec.ValuesFrom {
		if ref := source.SecretRef; ref != nil {
			found = append(found, reference{
				field: fmt.Sprintf("spec.valuesFrom[%d].secretRef", i), namespace: ref.Namespace, name: ref.Name, key: ref.Key,
				to:   fmt.Sprintf("chart %s of %s", spec.Chart.Name, spec.Chart.Repository),
				with: []any{spec.Values, spec.ValuesFrom, spec.EnvironmentValues},
			})
		}
	}
	return found
}
