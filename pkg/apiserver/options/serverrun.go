// SPDX-License-Identifier: Apache-2.0

package options

import (
	"time"

	genericoptions "k8s.io/apiserver/pkg/server/options"
	basecompatibility "k8s.io/component-base/compatibility"

	"roadstead.dev/roadstead/pkg/apiserver/filters/bodylimit"
	"roadstead.dev/roadstead/pkg/util/version"
)

// watchGrace is what watches get to end when the server stops. It is over as soon as they have ended; without it the
// listener waits a whole request time-out (60 s) for connections on which a watch is open, and somebody always watches.
const watchGrace = 10 * time.Second

// newServerRun returns the generic server's run options with our defaults. Among them is no chance of GOAWAY: what it does,
// spreading the load over replicas, is paid for by writes. The aggregation layer cannot repeat a request with a body that
// meets the end of its connection, and answers 503 (k/k#135285). The manifests for several replicas set it.
func newServerRun() *genericoptions.ServerRunOptions {
	options := genericoptions.NewServerRunOptionsForComponent(basecompatibility.DefaultKubeComponent, version.NewRegistry())
	// The largest limit of any resource. The filter bodylimit applies smaller ones to most of them.
	options.MaxRequestBodyBytes = bodylimit.Large
	options.ShutdownWatchTerminationGracePeriod = watchGrace
	return options
}
