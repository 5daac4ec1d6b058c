// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"roadstead.dev/roadstead/pkg/crdcompat"
	"roadstead.dev/roadstead/pkg/shorttext"
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
func Findings(report crdcompat.Report, limit int) (findings []Finding, total int) {
	total = len(report.Findings)
	for _, finding := range report.Findings[:min(total, limit)] {
		findings = append(findings, bounded(finding))
	}
	return findings, total
}

func bounded(finding crdcompat.Finding) Finding {
	return Finding{
		CRD: shorttext.Line(finding.CRD, MaxCRD), Code: shorttext.Line(finding.Code, MaxCode), Verdict: string(finding.Verdict),
		Version: shorttext.Line(finding.Version, MaxVersion), Path: shorttext.Line(finding.Path, MaxPath),
		Old: shorttext.Line(finding.Old, MaxValue), New: shorttext.Line(finding.New, MaxValue),
		Message: shorttext.Line(finding.Message, MaxMessage), Hint: shorttext.Line(finding.FixHint, MaxHint),
	}
}
