// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// Finding is one effect of a change.
type Finding struct {
	// CRD is the name of the CRD, such as certificates.cert-manager.io.
	CRD string `json:"crd"`
	// Code is the code of the rule, such as CRD-101. All lists the rules.
	Code string `json:"code"`
	// Verdict is the verdict of this change. It may be milder than that of the rule if the change was proved to be harmless.
	Verdict Verdict `json:"verdict"`
	// Version is the affected version, a pair of versions such as "v1→v2", or empty if all versions are affected.
	Version string `json:"version"`
	// Path is the path within the schema of the version (.spec.list[*].name; .spec.map.* for the values of a map), or within
	// the CRD if the finding concerns no schema (spec.names.kind).
	Path string `json:"path"`
	// Change names the rule in a few words.
	Change string `json:"change"`
	// Old and New are the values at Path in compact JSON. Long values are truncated. They are empty if there is no value.
	Old string `json:"old"`
	New string `json:"new"`
	// Hits lists who is affected.
	Hits Hits `json:"hits"`
	// MinServerVersion is the first Kubernetes version to which the finding applies, such as 1.34; empty for all.
	MinServerVersion string `json:"minServerVersion,omitempty"`
	// Evidence is the source of the finding.
	Evidence Evidence `json:"evidence"`
	// LiveCount is the number of affected objects in the cluster. It is set only with live evidence.
	LiveCount int `json:"liveCount,omitempty"`
	// SampleObjects are up to five of these objects, as namespace/name.
	SampleObjects []string `json:"sampleObjects,omitempty"`
	// Message describes the effect to a user.
	Message string `json:"message"`
	// FixHint describes how to fix the change or how to prepare for it.
	FixHint string `json:"fixHint"`

	// pruned reports whether content of values is lost although the rule alone does not imply it.
	pruned bool
}

// MarkPruned sets the verdict to Destructive, and records that content of values is pruned although the rule alone does not imply it.
func (f *Finding) MarkPruned() { f.Verdict, f.pruned = Destructive, true }

// Loses reports whether the change loses content of values that were valid.
func (f *Finding) Loses() bool {
	return f.pruned || f.Verdict == Destructive && rulesByID[strings.TrimPrefix(f.Code, "CRD-")].Effects.Read == "pruned"
}

// Hits lists who is affected by a change.
type Hits struct {
	// Stored objects: reads return other content, or they cannot be written, restored or deleted.
	Stored bool `json:"stored"`
	// Writers that send what the old schema allowed.
	Writers bool `json:"writers"`
	// SSAWriters are writers that use server-side apply (Flux, Argo CD, Helm 4, status writers of many operators).
	SSAWriters bool `json:"ssaWriters"`
	// Readers of values that are new to them, or of values that are missing.
	Readers bool `json:"readers"`
	// Rollback to the old CRD affects objects that were written under the new one.
	Rollback bool `json:"rollback"`
}

// Evidence is the source of a finding.
type Evidence string

const (
	// Static findings follow from the two versions of the CRD.
	Static Evidence = "static"
	// Live findings were observed on objects of a cluster.
	Live Evidence = "live"
)

// Report is the result of the check of a change.
type Report struct {
	// Verdict is the most severe verdict of the findings, or Informational if there are none.
	Verdict Verdict `json:"verdict"`
	// Digest identifies the change in the annotation that allows it: see compare.Digest.
	Digest string `json:"digest,omitempty"`
	// Findings are sorted by descending severity, then by CRD, code, version and path.
	Findings []Finding `json:"findings"`
}
