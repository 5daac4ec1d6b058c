// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"encoding/json"
	"unicode/utf8"
)

// Place is the location of a finding in a CRD.
type Place struct {
	// Version is the name of a version, a pair such as "v1→v2", or empty.
	Version string
	Path    string
}

// Findings collects the findings of a change of a CRD.
type Findings struct {
	// CRD is the name of the CRD.
	CRD   string
	Found []Finding
}

// Find adds a finding of the rule with the ID, and returns a pointer that is valid until the next call. The values are shown in
// compact JSON; nil is not shown.
func (f *Findings) Find(id string, at Place, old, new any, format string, args ...any) *Finding {
	finding := NewFinding(id, f.CRD, format, args...)
	finding.Version, finding.Path = at.Version, at.Path
	finding.Old, finding.New = Shown(old), Shown(new)
	f.Found = append(f.Found, finding)
	return &f.Found[len(f.Found)-1]
}

// longest is the maximum length of a value that is shown, in bytes.
const longest = 240

// Shown returns a value for users: strings unchanged, other values in JSON. Long values are truncated.
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
