// SPDX-License-Identifier: Apache-2.0

// Package evidence describes objects of the group to the engine that decides about changes of CRDs, and its findings in the types
// of the group. The API server and the controllers decide by the same facts.
package evidence

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Version returns the facts of an OperatorVersion that newer versions are judged by.
func Version(version *release.OperatorVersion) crdpolicy.Version {
	found := crdpolicy.Version{
		Name: version.Name, Operator: version.Spec.OperatorRef.Name, Version: version.Spec.Version,
		Manual:   version.Spec.CRDSource == release.CRDSourceManual,
		Deleting: version.DeletionTimestamp != nil,
	}
	if v1alpha1.WasAccepted(version.Status.Conditions) {
		for _, crd := range version.Status.CRDs {
			found.Accepted = append(found.Accepted, crd.Name)
		}
	}
	return found
}

// Of returns the facts of a CRDSchema that newer versions are judged by; nil for nil.
func Of(schema *release.CRDSchema) *crdpolicy.Evidence {
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

// Findings returns the findings of a report as a status shows them, at most limit, and how many there are.
func Findings(report rules.Report, limit int) (shown []release.Finding, total int32) {
	findings, all := crdpolicy.Findings(report, limit)
	for _, finding := range findings {
		shown = append(shown, release.Finding{
			CRD: finding.CRD, Code: finding.Code, Verdict: release.Compatibility(finding.Verdict), Version: finding.Version, Path: finding.Path,
			Old: finding.Old, New: finding.New, Message: finding.Message, Hint: finding.FixHint,
		})
	}
	return shown, int32(all)
}
