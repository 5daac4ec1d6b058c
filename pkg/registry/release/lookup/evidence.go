// SPDX-License-Identifier: Apache-2.0

package lookup

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// Version returns what matters of an OperatorVersion when newer versions are judged.
func Version(version *release.OperatorVersion) crdpolicy.Version {
	found := crdpolicy.Version{
		Name: version.Name, Operator: version.Spec.OperatorRef.Name, Version: version.Spec.Version, Manual: version.Spec.CRDSource == release.CRDSourceManual,
		Deleting: version.DeletionTimestamp != nil,
	}
	if v1alpha1.WasAccepted(version.Status.Conditions) {
		for _, crd := range version.Status.CRDs {
			found.Accepted = append(found.Accepted, crd.Name)
		}
	}
	return found
}

// Evidence returns what matters of a CRDSchema when newer versions are judged; nil for nil.
func Evidence(schema *release.CRDSchema) *crdpolicy.Evidence {
	if schema == nil {
		return nil
	}
	found := &crdpolicy.Evidence{
		Stored: crdpolicy.Stored{Name: schema.Name, Definition: schema.Spec.Definition.Raw}, UID: string(schema.UID),
		Approval: string(schema.Status.Approval), CreatedBy: schema.Status.CreatedBy,
	}
	if ref := schema.Spec.OperatorVersionRef; ref != nil {
		found.OperatorVersion = ref.Name
	}
	return found
}
