// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

func TestFieldLabels(t *testing.T) {
	scheme := runtime.NewScheme()
	Install(scheme)
	for kind, labels := range map[string][]string{
		"OperatorVersion": {"metadata.name", "spec.operatorRef.name", "status.phase"},
		"CRDSchema":       {"metadata.name", "spec.operatorVersionRef.name", "status.approval", "status.crd", "status.phase"},
	} {
		gvk := v1alpha1.SchemeGroupVersion.WithKind(kind)
		for _, label := range labels {
			got, value, err := scheme.ConvertFieldLabel(gvk, label, "value")
			require.NoError(t, err)
			require.Equal(t, [2]string{label, "value"}, [2]string{got, value})
		}
		_, _, err := scheme.ConvertFieldLabel(gvk, "spec.other", "value")
		require.ErrorContains(t, err, "is not a field selector of "+kind+": use one of metadata.name, spec.operator")
	}
}
