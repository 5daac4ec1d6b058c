// SPDX-License-Identifier: Apache-2.0

//go:build slow

package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// TestRealUpgradesBreakWhatWasJudgedByHand compares the CRDs of public projects in consecutive
// versions. With -v it prints for each upgrade the worst verdict, the breaking findings by rule,
// and the errors of crdify with the configuration of OLM.
func TestRealUpgradesBreakWhatWasJudgedByHand(t *testing.T) {
	for _, project := range projects {
		from := project.first
		for _, upgrade := range project.upgrades {
			t.Run(strings.Join([]string{project.module, project.folders[0], upgrade.to}, " "), func(t *testing.T) {
				report, errors := project.compare(t, from, upgrade.to)
				byRule := map[string]int{}
				for _, finding := range report.Findings {
					if finding.Verdict.Breaks() {
						byRule[finding.Code]++
					}
				}
				codes := slices.Sorted(maps.Keys(byRule))
				t.Logf("%s %s→%s: %s; breaking: %s; crdify: %d errors", project.module, from, upgrade.to, report.Verdict,
					counted(codes, byRule), errors)
				for _, rule := range upgrade.breaks {
					assert.Contains(t, codes, rule, "this breaks, as was judged by hand")
				}
				for _, finding := range report.Findings {
					if finding.Verdict.Breaks() {
						assert.Contains(t, upgrade.breaks, finding.Code, "%s %s %s: %s", finding.CRD, finding.Version, finding.Path, finding.Message)
					}
				}
			})
			from = upgrade.to
		}
	}
}

// compare compares the CRDs that exist in both versions. It also returns the number of crdify's
// errors.
func (p project) compare(t *testing.T, from, to string) (report rules.Report, errors int) {
	t.Helper()
	olds, news := p.definitions(t, from), p.definitions(t, to)
	var findings []rules.Finding
	for _, name := range slices.Sorted(maps.Keys(olds)) {
		if news[name] == nil {
			continue
		}
		findings = append(findings, compare.Compare(olds[name], news[name], compare.Options{}).Findings...)
		complaints, panicked := crdify(olm())(olds[name], news[name])
		assert.Empty(t, panicked, name)
		errors += len(complaints)
	}
	return rules.NewReport(findings...), errors
}

func counted(codes []string, count map[string]int) string {
	if len(codes) == 0 {
		return "nothing"
	}
	texts := make([]string, 0, len(codes))
	for _, rule := range codes {
		texts = append(texts, fmt.Sprintf("%s ×%d", rule, count[rule]))
	}
	return strings.Join(texts, ", ")
}
