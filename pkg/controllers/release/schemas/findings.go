// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Findings returns the findings of a report as a status shows them, and how many there are.
func Findings(report rules.Report) (shown []v1alpha1.Finding, total int32) {
	findings, all := crdpolicy.Findings(report, v1alpha1.MaxFindings)
	shown = make([]v1alpha1.Finding, 0, len(findings))
	for _, finding := range findings {
		shown = append(shown, v1alpha1.Finding{
			CRD: finding.CRD, Code: finding.Code, Verdict: v1alpha1.Compatibility(finding.Verdict), Version: finding.Version, Path: finding.Path,
			Old: finding.Old, New: finding.New, Message: finding.Message, Hint: finding.FixHint,
		})
	}
	return shown, int32(all)
}
