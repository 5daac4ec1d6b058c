// SPDX-License-Identifier: Apache-2.0

package crdguard

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

// bounded gives warnings as they may be sent in a header: of one line, short, and not too many.
func bounded(warnings []string) []string {
	var kept []string
	for i, warning := range warnings {
		if i == mostWarnings {
			return append(kept, fmt.Sprintf("and %d more", len(warnings)-mostWarnings))
		}
		kept = append(kept, text.Line(warning, longestWarning))
	}
	return kept
}

// fieldOf is where in the manifest of a definition a finding is.
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

// said is a finding in a sentence or two.
func said(finding *rules.Finding) string {
	line := fmt.Sprintf("[%s %s] %s", finding.Code, finding.Verdict, full(finding.Message))
	if len(finding.SampleObjects) > 0 {
		line += fmt.Sprintf(" Objects: %s%s.", strings.Join(finding.SampleObjects, ", "), further(finding.LiveCount-len(finding.SampleObjects)))
	}
	if finding.FixHint != "" {
		line += " Instead: " + finding.FixHint
	}
	return line
}

// warningOf is a finding as a warning; the code leads to the documentation, so that the fix may be cut.
func warningOf(finding *rules.Finding) string { return fieldOf(finding) + ": " + said(finding) }

func further(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// full gives a sentence with a full stop.
func full(sentence string) string {
	if sentence == "" || strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
		return sentence
	}
	return sentence + "."
}
