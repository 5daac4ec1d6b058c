// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding returns a finding of the rule with the fields that all findings of the rule have in common.
func (r Rule) Finding() Finding {
	return Finding{
		Code: r.Code(), Verdict: r.Verdict, Change: r.Change, Hits: r.Hits, MinServerVersion: r.MinServerVersion,
		Evidence: Static, FixHint: r.Fix,
	}
}

// NewFinding returns a finding about a CRD with the message. It panics if no rule has the ID.
func NewFinding(id, crd, format string, args ...any) Finding {
	rule, ok := rulesByID[id]
	if !ok {
		panic("rules: unknown ID " + id)
	}
	finding := rule.Finding()
	finding.CRD, finding.Message = crd, fmt.Sprintf(format, args...)
	return finding
}

// NewReport sorts the findings, removes duplicates and sets the most severe verdict.
func NewReport(findings ...Finding) Report {
	report := Report{Verdict: Informational, Findings: slices.Clone(findings)}
	slices.SortStableFunc(report.Findings, func(a, b Finding) int {
		return cmp.Or(-a.Verdict.Compare(b.Verdict), cmp.Compare(a.CRD, b.CRD), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Version, b.Version), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New), cmp.Compare(a.Evidence, b.Evidence))
	})
	report.Findings = slices.CompactFunc(report.Findings, func(a, b Finding) bool {
		return a.Verdict == b.Verdict && a.CRD == b.CRD && a.Code == b.Code && a.Version == b.Version && a.Path == b.Path &&
			a.Message == b.Message &&
			a.Old == b.Old && a.New == b.New
	})
	for _, finding := range report.Findings {
		if finding.Verdict.Compare(report.Verdict) > 0 {
			report.Verdict = finding.Verdict
		}
	}
	if report.Findings == nil {
		report.Findings = []Finding{}
	}
	return report
}
