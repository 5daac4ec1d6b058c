// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package complaints

import (
	"errors"
	"testing"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// TestC17DependentsOutliveACollectorThatKnowsNothing starts the garbage collector during the
// outage. It has seen none of the owners, so it must query each of them. It retries the discovery
// of Roadstead's kinds only every 30 seconds.
func TestC17DependentsOutliveACollectorThatKnowsNothing(t *testing.T) {
	server, collector := env.Roadstead.APIServer(), env.Cluster.Component(cluster.ControllerManager)
	dependentsOutlive(t, func() error { return errors.Join(server.Kill(), collector.Stop(), collector.Start(t.Context())) })
}
