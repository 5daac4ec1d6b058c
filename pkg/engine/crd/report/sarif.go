// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	// toolName identifies the tool where findings of several tools are collected.
	toolName = "roadstead-crdcheck"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool              sarifTool      `json:"tool"`
	AutomationDetails *sarifIdentity `json:"automationDetails,omitempty"`
	ColumnKind        string         `json:"columnKind"`
	Results           []sarifResult  `json:"results"`
	Properties        map[string]any `json:"properties,omitempty"`
}

type sarifIdentity struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string         `json:"id"`
	ShortDescription sarifMessage   `json:"shortDescription"`
	FullDescription  *sarifMessage  `json:"fullDescription,omitempty"`
	Help             *sarifMessage  `json:"help,omitempty"`
	HelpURI          string         `json:"helpUri"`
	Configuration    sarifLevel     `json:"defaultConfiguration"`
	Properties       map[string]any `json:"properties,omitempty"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifMessage      `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]any    `json:"properties"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName"`
	Kind string `json:"kind"`
}

// SARIF writes a document as SARIF 2.1.0 with one run, and a second run for the rollback. Version is the version of the tool, or
// "" if it is not known. The levels are error for B, B! and X, warning for R, and note for S and I.
func SARIF(w io.Writer, document Document, version string) error {
	log := sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{sarifRunOf(document.Report, document, "upgrade/", version)}}
	if document.Rollback != nil {
		log.Runs = append(log.Runs, sarifRunOf(*document.Rollback, document, "rollback/", version))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(log)
}

func sarifRunOf(report rules.Report, document Document, id, version string) sarifRun {
	run := sarifRun{
		Tool:              sarifTool{Driver: sarifDriver{Name: toolName, Version: version, Rules: []sarifRule{}}},
		AutomationDetails: &sarifIdentity{ID: toolName + "/" + id},
		ColumnKind:        "unicodeCodePoints",
		Results:           []sarifResult{},
		Properties:        map[string]any{"verdict": report.Verdict},
	}
	if report.Digest != "" {
		run.Properties["digest"] = report.Digest
	}
	codes := codesOf(report.Findings)
	for _, code := range codes {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(code))
	}
	for _, finding := range report.Findings {
		run.Results = append(run.Results, sarifResult{
			RuleID: finding.Code, RuleIndex: slices.Index(codes, finding.Code), Level: sarifLevelOf(finding.Verdict),
			Message:      sarifMessage{Text: sarifText(finding)},
			Locations:    []sarifLocation{sarifPlace(finding, document)},
			Fingerprints: map[string]string{"finding/v1": fingerprint(id, finding)},
			Properties: map[string]any{
				"verdict": finding.Verdict, "hits": finding.Hits, "evidence": finding.Evidence,
				"old": finding.Old, "new": finding.New, "fixHint": finding.FixHint,
			},
		})
	}
	return run
}

func codesOf(findings []rules.Finding) []string {
	var codes []string
	for _, finding := range findings {
		codes = append(codes, finding.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

func sarifRuleOf(code string) sarifRule {
	rule := sarifRule{ID: code, HelpURI: rules.DocsURL(code), ShortDescription: sarifMessage{Text: code},
		Configuration: sarifLevel{Level: "warning"}}
	known, err := rules.ByCode(code)
	if err != nil {
		return rule
	}
	rule.ShortDescription.Text = known.Change
	rule.Configuration.Level = sarifLevelOf(known.Verdict)
	rule.Properties = map[string]any{"verdict": known.Verdict, "tags": []string{"kubernetes", "crd"}}
	rule.FullDescription = &sarifMessage{Text: known.What + " " + known.Who}
	if known.Fix != "" {
		rule.Help = &sarifMessage{Text: known.Fix}
	}
	return rule
}

func sarifLevelOf(verdict rules.Verdict) string {
	switch {
	case verdict.Breaks():
		return "error"
	case verdict == rules.Review:
		return "warning"
	}
	return "note"
}

// sarifText returns a message that includes the hint, because some viewers show only the message.
func sarifText(finding rules.Finding) string {
	message := finding.Message
	if message == "" {
		message = finding.Change
	}
	if finding.FixHint != "" {
		message += " Fix: " + finding.FixHint
	}
	return message
}

func sarifPlace(finding rules.Finding, document Document) sarifLocation {
	parts := []string{finding.CRD}
	for _, part := range []string{finding.Version, finding.Path} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	location := sarifLocation{Logical: []sarifLogical{{Name: parts[len(parts)-1], Full: strings.Join(parts, "/"), Kind: "member"}}}
	if document.Place == nil {
		return location
	}
	if file, line := document.Place(finding.CRD); file != "" {
		location.Physical = &sarifPhysical{Artifact: sarifArtifact{URI: sarifURI(file)}}
		if line > 0 {
			location.Physical.Region = &sarifRegion{StartLine: line}
		}
	}
	return location
}

// sarifURI returns the URI of a file. For a relative path, it is relative to the working directory.
func sarifURI(file string) string {
	uri := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		uri.Scheme = "file"
	}
	return uri.String()
}

// fingerprint identifies a finding across runs.
func fingerprint(id string, finding rules.Finding) string {
	hash := sha256.Sum256([]byte(strings.Join([]string{id, finding.CRD, finding.Code, finding.Version, finding.Path}, "\x00")))
	return hex.EncodeToString(hash[:16])
}
