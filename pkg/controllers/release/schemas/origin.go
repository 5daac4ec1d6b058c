// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"encoding/json"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// Origin describes how a chart renders a CRD, and so what Helm does with the CRD when a later
// version of the chart leaves it out.
type Origin string

const (
	// OriginCRDs is the crds directory of the chart. Helm never deletes its content.
	OriginCRDs Origin = "crds"
	// OriginTemplate is a template. Helm deletes the CRD in an upgrade to a version that does not
	// render it.
	OriginTemplate Origin = "template"
	// OriginKept is a template whose CRD Helm keeps: it has helm.sh/resource-policy: keep, or is a
	// hook.
	OriginKept Origin = "template-kept"
)

// OriginAnnotation is set in the metadata of the manifest within a CRDSchema, not in that of the
// CRDSchema. The manifest is immutable, so the judgement of a removal of the CRD cannot be
// manipulated afterwards.
const OriginAnnotation = "roadstead.dev/chart-origin"

// OriginOf returns the origin of a CRD that a chart renders.
func OriginOf(member sets.Member) Origin {
	switch {
	case member.Origin == sets.CRDsFolder:
		return OriginCRDs
	case member.Origin == sets.Template && member.Kept:
		return OriginKept
	case member.Origin == sets.Template:
		return OriginTemplate
	}
	return ""
}

// inside returns the facts that decisions need from the manifest within a CRDSchema.
func inside(manifest []byte) (kind string, origin Origin) {
	var content struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
		Spec struct {
			Names struct {
				Kind string `json:"kind"`
			} `json:"names"`
		} `json:"spec"`
	}
	if json.Unmarshal(manifest, &content) != nil {
		return "", "" // the API server rejects such a manifest
	}
	return content.Spec.Names.Kind, Origin(content.Metadata.Annotations[OriginAnnotation])
}
