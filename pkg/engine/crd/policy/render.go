// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

const (
	// longestWarning is the maximum length of a warning in characters: the API server cuts longer ones if there are many.
	longestWarning = 256
	// mostWarnings is the maximum number of warnings before "and n more": the API server drops warnings after 4096 bytes.
	mostWarnings = 12
)

// Brief returns the place and the message of a finding, for compact lists.
func Brief(finding *rules.Finding) string { return fieldOf(finding) + ": " + message(finding) }

// lineOf returns the place of a finding and its sentence. The code identifies the documentation, so the end may be cut.
func lineOf(finding *rules.Finding) string { return fieldOf(finding) + ": " + sentence(finding) }

// message returns the code, the verdict and the message of a finding.
func message(finding *rules.Finding) string {
	return fmt.Sprintf("[%s %s] %s", finding.Code, finding.Verdict, full(finding.Message))
}

// sentence returns the message of a finding with sample objects and the instruction.
func sentence(finding *rules.Finding) string {
	line := message(finding)
	if len(finding.SampleObjects) > 0 {
		line += fmt.Sprintf(" Objects: %s%s.", strings.Join(finding.SampleObjects, ", "), further(finding.LiveCount-len(finding.SampleObjects)))
	}
	if finding.FixHint != "" {
		line += " Instead: " + finding.FixHint
	}
	return line
}

// fieldOf returns the field path of a finding in the manifest of a CRD.
func fieldOf(finding *rules.Finding) string {
	switch version := "spec.versions[" + finding.Version + "]"; {
	case finding.Version == "" && finding.Path == "":
		return "spec"
	case finding.Version == "":
		return finding.Path
	case finding.Path == "":
		return version
	case strings.HasPrefix(finding.Path, "."):
		return version + ".schema" + finding.Path
	default:
		return version + "." + finding.Path
	}
}

func further(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// full returns a sentence that ends with a full stop.
func full(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		return sentence
	}
	return sentence + "."
}

// header returns warnings that fit into a response header: single lines of limited length and number.
func header(warnings []string) []string {
	var kept []string
	for i, warning := range warnings {
		if i == mostWarnings {
			return append(kept, fmt.Sprintf("and %d more", len(warnings)-mostWarnings))
		}
		kept = append(kept, text.Line(warning, longestWarning))
	}
	return kept
}
