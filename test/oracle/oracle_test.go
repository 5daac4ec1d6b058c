// SPDX-License-Identifier: Apache-2.0

package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"roadstead.dev/roadstead/pkg/engine/crd/compare"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// TestEveryErrorOfCrdifyIsCoveredOrAFalsePositive checks each error on each pair with crdify's
// default configuration.
func TestEveryErrorOfCrdifyIsCoveredOrAFalsePositive(t *testing.T) {
	complain := crdify(strict())
	for _, pair := range pairs(t) {
		t.Run(pair.id, func(t *testing.T) {
			findings := compare.Compare(pair.old, pair.new, compare.Options{}).Findings
			complaints, panicked := complain(pair.old, pair.new)
			assert.Equal(t, panics[pair.id] != "", panicked != "", "crdify panicked with %q, which is to be listed (or no more) in panics", panicked)
			listed := falsePositives[pair.id]
			if len(listed.checks) > 0 {
				assert.NotEmpty(t, listed.reason)
				assert.False(t, pair.verdict.Breaks(), "something breaks here, so nothing is a false positive before it is looked at again")
			}
			var seen []string
			for _, complaint := range complaints {
				seen = append(seen, complaint.check)
				if slices.Contains(listed.checks, complaint.check) {
					assert.False(t, complaint.covered(findings), "listed as a false positive, but a finding says the same: %s\nfindings: %s",
						complaint, short(findings))
					continue
				}
				assert.True(t, complaint.covered(findings), "%s (%s): no finding that breaks says what crdify says: %s\nfindings: %s",
					pair.change, pair.verdict, complaint, short(findings))
			}
			for _, check := range listed.checks {
				assert.Contains(t, seen, check, "crdify does not report it any more: take it out of the list of false positives")
			}
		})
	}
}

// TestErrorsWithOLMsConfigurationAreAmongTheStrictOnes shows that it is sufficient to check the
// strict errors.
func TestErrorsWithOLMsConfigurationAreAmongTheStrictOnes(t *testing.T) {
	for _, pair := range pairs(t) {
		all, _ := crdify(strict())(pair.old, pair.new)
		some, _ := crdify(olm())(pair.old, pair.new)
		places := func(of []complaint) (list []string) {
			for _, complaint := range of {
				list = append(list, complaint.check+" "+complaint.version+" "+complaint.path)
			}
			return list
		}
		assert.Subset(t, places(all), places(some), pair.id)
	}
}

func short(findings []rules.Finding) (lines []string) {
	for _, finding := range findings {
		lines = append(lines, finding.Code+" "+string(finding.Verdict)+" "+finding.Version+" "+finding.Path)
	}
	return lines
}
