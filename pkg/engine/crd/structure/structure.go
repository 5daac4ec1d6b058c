// SPDX-License-Identifier: Apache-2.0

package structure

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// Comparison is one change of a CustomResourceDefinition and the findings about it so far.
type Comparison struct {
	// Old and New have the defaults of v1. The status of Old is the status in a cluster.
	Old, New *apiextensionsv1.CustomResourceDefinition
	// Target is the version of the server that the new CRD is applied to.
	Target   *version.Version
	schemas  schemas
	patterns *patterns
	rules.Findings
}

// New returns the comparison of two CRDs, without findings. It modifies neither of them.
func New(old, new *apiextensionsv1.CustomResourceDefinition, target *version.Version) *Comparison {
	c := &Comparison{
		Old: manifest.Defaulted(old), New: manifest.Defaulted(new), Target: target,
		schemas: schemas{}, patterns: newPatterns(), Findings: rules.Findings{CRD: old.Name},
	}
	c.Old.Status = manifest.LiveStatus(old)
	return c
}

// Compare runs pass 2: it compares the schema of each version that both CRDs have.
func (c *Comparison) Compare() {
	for i := range c.Old.Spec.Versions {
		old := &c.Old.Spec.Versions[i]
		new := manifest.VersionOf(c.New, old.Name)
		if new == nil {
			continue
		}
		oldSchema, newSchema := c.schemas.of(old), c.schemas.of(new)
		if newSchema == nil {
			continue // rejected: see CRD-E15
		}
		if !c.Used(old) {
			if !new.Served && !new.Storage && !sameSchema(old, new) {
				c.Find("E24", rules.Place{Version: old.Name}, nil, nil,
					"version %s changes, but it is neither served nor stored: no client reads or writes objects through it", old.Name)
			}
			continue
		}
		w := &walk{c: c, version: old.Name}
		w.root(oldSchema, newSchema, old, new)
	}
}

// Used reports whether objects can have been read, written or stored in a version of the old CRD.
func (c *Comparison) Used(version *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	return version.Served || version.Storage || slices.Contains(c.Old.Status.StoredVersions, version.Name)
}

// Between returns the differences between the schemas of two versions that matter when objects are
// converted without a webhook.
func (c *Comparison) Between(from, to *apiextensionsv1.CustomResourceDefinitionVersion) []rules.Finding {
	before, after := c.schemas.of(from), c.schemas.of(to)
	if before == nil || after == nil {
		return nil
	}
	scratch := *c
	scratch.Findings = rules.Findings{CRD: c.CRD}
	w := &walk{c: &scratch}
	w.node(before, after, spot{root: true})
	return rules.NewReport(scratch.Found...).Findings
}

func sameSchema(old, new *apiextensionsv1.CustomResourceDefinitionVersion) bool {
	return apiequality.Semantic.DeepEqual(old.Schema, new.Schema)
}
