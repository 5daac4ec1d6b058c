// SPDX-License-Identifier: Apache-2.0

// stamped prints the versions of Kubernetes that the parts of a program use.
package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/features"
	genericfeatures "k8s.io/apiserver/pkg/features"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/engine/crd/compare"
)

func main() {
	process := compatibility.DefaultComponentGlobalsRegistry.EffectiveVersionFor(basecompatibility.DefaultKubeComponent)
	run := options.New().ServerRun
	server := run.ComponentGlobalsRegistry.EffectiveVersionFor(run.ComponentName)
	fmt.Println("stamp", baseversion.Get().GitVersion)
	fmt.Println("process", process.EmulationVersion())
	fmt.Println("server", server.EmulationVersion())
	fmt.Println("libraries", baseversion.DefaultKubeBinaryVersion)
	fmt.Println("comparison", compare.DefaultTargetVersion)
	fmt.Println("features", utilfeature.DefaultFeatureGate.Enabled(features.CRDValidationRatcheting),
		utilfeature.DefaultFeatureGate.Enabled(genericfeatures.WatchList))
}
