// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"roadstead.dev/roadstead/pkg/crdcompat"
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
		CRD: cut(finding.CRD, MaxCRD), Code: cut(finding.Code, MaxCode), Verdict: string(finding.Verdict),
		Version: cut(finding.Version, MaxVersion), Path: cut(finding.Path, MaxPath),
		Old: cut(finding.Old, MaxValue), New: cut(finding.New, MaxValue),
		Message: cut(finding.Message, MaxMessage), Hint: cut(finding.FixHint, MaxHint),
	}
}

// cut makes one line of a text, of at most limit characters. Texts come from definitions, which may hold anything.
func cut(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
