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

// goawayChance is how many of the requests ask the client for another connection. The aggregation layer sends everything
// over one connection for as long as that lives, hence to one replica. A new connection costs a few milliseconds; of 300
// requests a second for a minute, one in a thousand left one of three replicas with an eighth of them.
const goawayChance = 0.005

// newServerRun returns the generic server's run options with our defaults.
func newServerRun() *genericoptions.ServerRunOptions {
	options := genericoptions.NewServerRunOptionsForComponent(basecompatibility.DefaultKubeComponent, newRegistry())
	options.ShutdownWatchTerminationGracePeriod = watchGrace
	options.GoawayChance = goawayChance
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
