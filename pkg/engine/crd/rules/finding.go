// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// Finding is one thing that a change does.
type Finding struct {
	// CRD is the name of the definition, such as certificates.cert-manager.io.
	CRD string `json:"crd"`
	// Code is that of the rule, such as CRD-101; All lists them.
	Code string `json:"code"`
	// Verdict of this change; it may be milder than its rule's where harm was proved to be impossible.
	Verdict Verdict `json:"verdict"`
	// Version that is hit, a pair as "v1→v2", or empty where all are.
	Version string `json:"version"`
	// Path within the version's schema (.spec.list[*].name; .spec.map.* for the values of a map), or within spec of the
	// definition where no schema is concerned (spec.names.kind).
	Path string `json:"path"`
	// Change names the rule in a few words.
	Change string `json:"change"`
	// Old and New are what stood and stands at Path, in compact JSON; cut where long; empty where nothing.
	Old string `json:"old"`
	New string `json:"new"`
	// Hits says who is hit.
	Hits Hits `json:"hits"`
	// MinServerVersion is the first Kubernetes version (1.34) where this is so; empty for all.
	MinServerVersion string `json:"minServerVersion,omitempty"`
	// Evidence says how it is known.
	Evidence Evidence `json:"evidence"`
	// LiveCount is how many objects of the cluster are hit; only with live evidence.
	LiveCount int `json:"liveCount,omitempty"`
	// SampleObjects are up to five of them, as namespace/name.
	SampleObjects []string `json:"sampleObjects,omitempty"`
	// Message tells a person what happens.
	Message string `json:"message"`
	// FixHint tells what to do about it.
	FixHint string `json:"fixHint"`

	// pruned says that content of values is lost where the rule alone does not say so.
	pruned bool
}

// MarkPruned sets the verdict to Destructive and notes that content of values is pruned, where the rule alone does not say so.
func (f *Finding) MarkPruned() { f.Verdict, f.pruned = Destructive, true }

// Loses reports whether the change loses content of values that were valid.
func (f *Finding) Loses() bool {
	return f.pruned || f.Verdict == Destructive && rulesByID[strings.TrimPrefix(f.Code, "CRD-")].Effects.Read == "pruned"
}

// Hits says who is hit by a change.
type Hits struct {
	// Stored objects: they read differently, or cannot be written, restored or deleted as they are.
	Stored bool `json:"stored"`
	// Writers that send what the old schema allowed.
	Writers bool `json:"writers"`
	// SSAWriters are those that use server-side apply (Flux, Argo CD, Helm 4, status writers of many operators).
	SSAWriters bool `json:"ssaWriters"`
	// Readers see something that they never saw before, or miss what they counted on.
	Readers bool `json:"readers"`
	// Rollback to the old definition hits objects that were written under the new one.
	Rollback bool `json:"rollback"`
}

// Evidence says how a finding is known.
type Evidence string

const (
	// Static findings follow from the two definitions.
	Static Evidence = "static"
	// Live findings were seen on objects of a cluster.
	Live Evidence = "live"
)

// Report is what is known about a change.
type Report struct {
	// Verdict is the worst of the findings; Informational where there are none.
	Verdict Verdict `json:"verdict"`
	// Digest identifies the change, so that it can be allowed: see compare.Digest.
	Digest string `json:"digest,omitempty"`
	// Findings, worst first, then by definition, code, version and path.
	Findings []Finding `json:"findings"`
}
