// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/evidence"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Version returns the facts of an OperatorVersion that newer versions are judged by.
func Version(version *v1alpha1.OperatorVersion) crdpolicy.Version {
	internal := &release.OperatorVersion{}
	utilruntime.Must(v1alpha1.Convert_v1alpha1_OperatorVersion_To_release_OperatorVersion(version, internal, nil))
	return evidence.Version(internal)
}

// Evidence returns the facts of a CRDSchema that newer versions are judged by. It returns nil for
// nil.
func Evidence(schema *v1alpha1.CRDSchema) *crdpolicy.Evidence {
	if schema == nil {
		return nil
	}
	internal := &release.CRDSchema{}
	utilruntime.Must(v1alpha1.Convert_v1alpha1_CRDSchema_To_release_CRDSchema(schema, internal, nil))
	return evidence.Of(internal)
}

// Findings returns the findings of a report for a status, and their total number.
func Findings(report rules.Report) (shown []v1alpha1.Finding, total int32) {
	internal, total := evidence.Findings(report, v1alpha1.MaxFindings)
	shown = make([]v1alpha1.Finding, len(internal))
	for i := range internal {
		utilruntime.Must(v1alpha1.Convert_release_Finding_To_v1alpha1_Finding(&internal[i], &shown[i], nil))
	}
	return shown, total
}
