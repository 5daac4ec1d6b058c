// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"encoding/json"
	"unicode/utf8"
)

// Place is where in a definition a finding is.
type Place struct {
	// Version is a name, a pair "v1→v2", or empty.
	Version string
	Path    string
}

// Findings collects what one change of a definition does.
type Findings struct {
	// CRD is the name of the definition.
	CRD   string
	Found []Finding
}

// Find adds a finding of a rule, by the ID of the rule. The values are shown in compact JSON; nil shows nothing. The pointer
// is valid until the next call.
func (f *Findings) Find(id string, at Place, old, new any, format string, args ...any) *Finding {
	finding := NewFinding(id, f.CRD, format, args...)
	finding.Version, finding.Path = at.Version, at.Path
	finding.Old, finding.New = Shown(old), Shown(new)
	f.Found = append(f.Found, finding)
	return &f.Found[len(f.Found)-1]
}

// longest is how much of a value is shown, in bytes.
const longest = 240

// Shown returns a value as a user reads it: text as it is, everything else in JSON, cut where long.
func Shown(value any) string {
	var text string
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		text = value
	default:
		encoded, err := json.Marshal(value)
		if err != nil {
			return "unreadable: " + err.Error()
		}
		text = string(encoded)
	}
	if len(text) <= longest {
		return text
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
