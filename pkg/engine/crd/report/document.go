// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"io"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Document is what is shown.
type Document struct {
	rules.Report
	// Rollback is the plan of the way back; nil where nobody asked for it.
	Rollback *rules.Report `json:"rollback,omitempty"`
	// Names of all definitions that were compared, also of those without findings.
	Names []string `json:"-"`
	// Place tells where a definition was read; empty and 0 where that is not known. It may be nil.
	Place func(crd string) (file string, line int) `json:"-"`
	// Notes are said to a person below the findings, such as what could not be looked at.
	Notes []string `json:"-"`
}

// JSON writes a document as one indented JSON object: verdict, digest, findings, and rollback where there is one.
func JSON(w io.Writer, document Document) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if document.Findings == nil {
		document.Findings = []rules.Finding{}
	}
	return encoder.Encode(document)
}
