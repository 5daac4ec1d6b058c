// SPDX-License-Identifier: Apache-2.0

package compare

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"roadstead.dev/roadstead/pkg/engine/crd/structure"
)

// comparison is one change, evaluated for the server that the new CRD is applied to.
type comparison struct {
	*structure.Comparison
	// trusting skips pass 1.
	trusting bool
}

func newComparison(old, new *apiextensionsv1.CustomResourceDefinition, options Options) *comparison {
	return &comparison{Comparison: structure.New(old, new, options.target()), trusting: options.SkipRefusal}
}
