// SPDX-License-Identifier: Apache-2.0

package options

import (
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	baseversion "k8s.io/component-base/version"
)

// emulationRange is how many minor versions back --emulated-version may go, as in Kubernetes.
const emulationRange = 3

// watchGrace is what watches get to end when the server stops. It is over as soon as they have ended; without it the
// listener waits a whole request time-out (60 s) for connections on which a watch is open, and somebody always watches.
const watchGrace = 10 * time.Second

// newServerRun returns the generic server's run options with our defaults. Among them is no chance of GOAWAY: what it does,
// spreading the load over replicas, is paid for by writes. The aggregation layer cannot repeat a request with a body that
// meets the end of its connection, and answers 503 (k/k#135285). The manifests for several replicas set it.
func newServerRun() *genericoptions.ServerRunOptions {
	options := genericoptions.NewServerRunOptionsForComponent(basecompatibility.DefaultKubeComponent, newRegistry())
	options.ShutdownWatchTerminationGracePeriod = watchGrace
	return options
}

// newRegistry lets features go by the version of the Kubernetes libraries. By default they go by the version that the
// program is stamped with, which is ours: with v0.1.0 every feature that Kubernetes has added since its own 0.1 would be
// off, streaming lists and consistent reads from the cache among them.
func newRegistry() basecompatibility.ComponentGlobalsRegistry {
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
