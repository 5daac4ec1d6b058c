// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// maxCauses is the maximum number of causes in a refusal. kubectl prints the causes instead of the message.
const maxCauses = 100

// Causes returns an error for each breaking finding, worst first. base is the path of the CRD. After 100
// findings, the remaining ones are counted.
func Causes(report rules.Report, base *field.Path) field.ErrorList {
	var errs field.ErrorList
	more := 0
	for _, finding := range report.Findings {
		switch {
		case !finding.Verdict.Breaks():
		case len(errs) == maxCauses:
			more++
		default:
			errs = append(errs, cause(bounded(finding), base))
		}
	}
	if more > 0 {
		errs = append(errs, field.Forbidden(base, fmt.Sprintf("and %d more", more)))
	}
	return errs
}

func cause(finding rules.Finding, base *field.Path) *field.Error {
	if finding.Version != "" {
		base = base.Key(finding.Version)
	}
	if below := strings.TrimPrefix(finding.Path, "."); below != "" {
		base = base.Child(below)
	}
	return field.Forbidden(base, sentence(&finding))
}

// Warnings returns a line for each finding that needs a review (R and worse), worst first, each of at most
// 256 characters. After 12 lines, the remaining findings are counted.
func Warnings(report rules.Report) []string {
	var lines []string
	for i := range report.Findings {
		if finding := &report.Findings[i]; finding.Verdict.AtLeast(rules.Review) {
			lines = append(lines, lineOf(finding))
		}
	}
	return header(lines)
}
