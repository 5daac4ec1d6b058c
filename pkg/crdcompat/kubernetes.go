// SPDX-License-Identifier: Apache-2.0

package crdcompat

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// init lets the server's own validation go by the version of Kubernetes that it comes from. It asks globals of the process,
// which go by what the program is stamped with; under a v0.1.0 of ours it would know none of the CEL of 1.0 and later, and
// forgive nothing, as ratcheting came with 1.30.
func init() {
	kubernetes := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	effective := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
	if mutable, ok := effective.(basecompatibility.MutableEffectiveVersion); ok {
		mutable.SetEmulationVersion(kubernetes)
	}
	utilruntime.Must(utilfeature.DefaultMutableFeatureGate.SetEmulationVersion(kubernetes))
}
