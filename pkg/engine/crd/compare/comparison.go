// SPDX-License-Identifier: Apache-2.0

package compare

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/engine/crd/manifest"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

// comparison is one change while it is looked at.
type comparison struct {
	old, new *apiextensionsv1.CustomResourceDefinition
	target   *version.Version
	// trusting leaves out pass 1.
	trusting bool
	schemas  schemas
	patterns *patterns
	rules.Findings
}

func newComparison(old, new *apiextensionsv1.CustomResourceDefinition, options Options) *comparison {
	c := &comparison{
		old: manifest.Defaulted(old), new: manifest.Defaulted(new), target: options.target(), trusting: options.SkipRefusal,
		schemas: schemas{}, patterns: newPatterns(), Findings: rules.Findings{CRD: old.Name},
	}
	c.old.Status = manifest.LiveStatus(old)
	return c
}
