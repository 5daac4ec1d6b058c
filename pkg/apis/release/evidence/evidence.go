// SPDX-License-Identifier: Apache-2.0

// Package evidence converts objects of the group release.roadstead.dev to the types of the CRD
// policy engine, and the findings of the engine to the types of the group. The API server and the
// controllers use it, so that their decisions are based on the same facts.
package evidence

import (
	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Version returns the facts of an OperatorVersion that the evaluation of newer versions uses.
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

// Of returns the facts of a CRDSchema that the evaluation of newer versions uses, or nil for a
// nil schema.
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

// Findings converts the findings of a report for a status. It returns at most limit findings, and
// the number of all findings.
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
