// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"io"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Document is a report with the data that its output needs.
type Document struct {
	rules.Report
	// Rollback is the report of the reverse change; nil if it was not requested.
	Rollback *rules.Report `json:"rollback,omitempty"`
	// Names are the names of all CRDs that were compared, including those without findings.
	Names []string `json:"-"`
	// Place returns the file and line of a CRD, or "" and 0 if they are not known. It may be nil.
	Place func(crd string) (file string, line int) `json:"-"`
	// Notes are shown to users after the findings, such as objects that could not be checked.
	Notes []string `json:"-"`
}

// JSON writes a document as one indented JSON object with verdict, digest, findings, and the optional rollback.
func JSON(w io.Writer, document Document) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if document.Findings == nil {
		document.Findings = []rules.Finding{}
	}
	return encoder.Encode(document)
}
