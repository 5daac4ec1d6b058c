// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

// The longest texts of a Finding, in characters. What is longer is cut and ends with "…".
const (
	MaxCRD     = 253
	MaxCode    = 64
	MaxVersion = 128
	MaxPath    = 512
	MaxValue   = 256
	MaxMessage = 1024
	MaxHint    = 1024
)

// Finding is one thing that a change does, of a bounded size.
type Finding struct {
	CRD, Code, Verdict, Version, Path, Old, New, Message, Hint string
}

// Findings returns the findings of a report, worst first, at most limit, and how many there are.
func Findings(report rules.Report, limit int) (findings []Finding, total int) {
	total = len(report.Findings)
	for _, finding := range report.Findings[:min(total, limit)] {
		findings = append(findings, bounded(finding))
	}
	return findings, total
}

func bounded(finding rules.Finding) Finding {
	return Finding{
		CRD: text.Line(finding.CRD, MaxCRD), Code: text.Line(finding.Code, MaxCode), Verdict: string(finding.Verdict),
		Version: text.Line(finding.Version, MaxVersion), Path: text.Line(finding.Path, MaxPath),
		Old: text.Line(finding.Old, MaxValue), New: text.Line(finding.New, MaxValue),
		Message: text.Line(finding.Message, MaxMessage), Hint: text.Line(finding.FixHint, MaxHint),
	}
}
