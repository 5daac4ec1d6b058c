// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/util/text"
)

const (
	// longestWarning is in characters: the API server cuts longer ones where there are many.
	longestWarning = 256
	// mostWarnings are shown before "and n more": the API server drops all after 4096 bytes.
	mostWarnings = 12
)

// Brief returns a finding in one sentence after its place, for a list with little room for each.
func Brief(finding *rules.Finding) string { return fieldOf(finding) + ": " + message(finding) }

// lineOf returns a finding after its place. The code leads to the documentation, so that the end may be cut.
func lineOf(finding *rules.Finding) string { return fieldOf(finding) + ": " + sentence(finding) }

// message returns what a finding says, after its code and verdict.
func message(finding *rules.Finding) string {
	return fmt.Sprintf("[%s %s] %s", finding.Code, finding.Verdict, full(finding.Message))
}

// sentence returns the message of a finding with the objects on which it was seen and what to do instead.
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

// fieldOf returns where in the manifest of a definition a finding is.
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

// full returns a sentence with a full stop.
func full(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		return sentence
	}
	return sentence + "."
}

// header returns warnings as they may be sent in a header: of one line, short, and not too many.
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
