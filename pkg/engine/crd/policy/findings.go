// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

// The maximum lengths of the texts of a bounded finding, in characters. Longer texts are cut and end with "…".
const (
	MaxCRD     = 253
	MaxCode    = 64
	MaxVersion = 128
	MaxPath    = 512
	MaxValue   = 256
	MaxMessage = 1024
	MaxHint    = 1024
)

// Findings returns at most limit findings of a report, worst first, with texts of bounded length, and the
// total number of findings.
func Findings(report rules.Report, limit int) (findings []rules.Finding, total int) {
	total = len(report.Findings)
	for _, finding := range report.Findings[:min(total, limit)] {
		findings = append(findings, bounded(finding))
	}
	return findings, total
}

func bounded(finding rules.Finding) rules.Finding {
	for part, longest := range map[*string]int{
		&finding.CRD: MaxCRD, &finding.Code: MaxCode, &finding.Version: MaxVersion, &finding.Path: MaxPath, &finding.Old: MaxValue,
		&finding.New: MaxValue, &finding.Message: MaxMessage, &finding.FixHint: MaxHint,
	} {
		*part = text.Line(*part, longest)
	}
	return finding
}
