// SPDX-License-Identifier: Apache-2.0

package crdreview

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

const (
	// maxCauses is how many causes a refusal has before it only counts.
	maxCauses = 100
	// maxWarnings and maxWarning are what clients are sent in headers: more would be dropped on the way, or push out the
	// warnings of others.
	maxWarnings = 12
	maxWarning  = 256
)

// Causes returns an error for each finding that breaks something, worst first, with its place below base, the path of the
// definition. After 100 the rest is counted.
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

func cause(finding Finding, base *field.Path) *field.Error {
	if finding.Version != "" {
		base = base.Key(finding.Version)
	}
	if below := strings.TrimPrefix(finding.Path, "."); below != "" {
		base = base.Child(below)
	}
	line := fmt.Sprintf("%s (%s): %s", finding.Code, finding.Verdict, finding.Message)
	if finding.Hint != "" {
		line = strings.TrimRight(line, ".") + ". Instead: " + finding.Hint
	}
	return field.Forbidden(base, line)
}

// Warnings returns a line for each finding that somebody should look at (R and worse), worst first, each of at most 256
// characters; after 12 the rest is counted.
func Warnings(report rules.Report) []string {
	var lines []string
	more := 0
	for _, finding := range report.Findings {
		switch {
		case !finding.Verdict.AtLeast(rules.Review):
		case len(lines) == maxWarnings:
			more++
		default:
			lines = append(lines, warning(finding))
		}
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

func warning(finding rules.Finding) string {
	place := strings.TrimSpace(finding.Version + " " + finding.Path)
	if place != "" {
		place += ": "
	}
	return text.Line(fmt.Sprintf("%s (%s) %s%s", finding.Code, finding.Verdict, place, finding.Message), maxWarning)
}
