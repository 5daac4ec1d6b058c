// SPDX-License-Identifier: Apache-2.0

// Package version has the versions of a program: the one that it is stamped with, as a metric, and that of the Kubernetes
// libraries it is built with.
//
// By default the libraries go by the stamped version: under v0.1.0 every feature that Kubernetes has added since its own 0.1
// would be off, streaming lists, consistent reads from the cache and the ratcheting of CRDs among them, and CEL would know
// none of its libraries. To import the package is enough for globals of the process; a server takes NewRegistry too.
package version

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// emulationRange is how many minor versions back --emulated-version may go, as in Kubernetes.
const emulationRange = 3

// init replaces the registry that the validation of CRDs and CEL environments ask when they are called.
func init() { compatibility.DefaultComponentGlobalsRegistry = NewRegistry() }

// NewRegistry gives a registry whose Kubernetes component has the version of the libraries, and the feature gates of the
// process.
func NewRegistry() basecompatibility.ComponentGlobalsRegistry {
	kubernetes := version.MustParse(baseversion.DefaultKubeBinaryVersion)
	floor := kubernetes.SubtractMinor(emulationRange)
	registry := basecompatibility.NewComponentGlobalsRegistry()
	utilruntime.Must(registry.Register(
		basecompatibility.DefaultKubeComponent,
		basecompatibility.NewEffectiveVersion(kubernetes, false, floor, floor),
		utilfeature.DefaultMutableFeatureGate,
	))
	return registry
}
