// SPDX-License-Identifier: Apache-2.0

// Package version contains the versions of a program: the one that it is stamped with, as a metric,
// and the version of the Kubernetes libraries that it is built with.
//
// By default the libraries use the stamped version: with v0.1.0 every feature that Kubernetes has
// added since its version 0.1 would be disabled, including streaming lists, consistent reads from
// the cache and ratcheting of CRDs, and CEL would have no libraries. Importing the package is
// sufficient for the globals of the process; a server also uses NewRegistry.
package version

import (
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// emulationRange is the number of minor versions that --emulated-version may go back, as in
// Kubernetes.
const emulationRange = 3

// init replaces the registry that the validation of CRDs and CEL environments use.
func init() { compatibility.DefaultComponentGlobalsRegistry = NewRegistry() }

// NewRegistry returns a registry whose Kubernetes component has the version of the libraries, and
// the feature gates of the process.
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
