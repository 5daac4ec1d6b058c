// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package complaints

import (
	"errors"
	"testing"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// TestC17DependentsOutliveACollectorThatKnowsNothing: a collector that starts during the outage has seen none of the owners,
// so it has to ask for each of them. It looks for our kinds again every 30 seconds only.
func TestC17DependentsOutliveACollectorThatKnowsNothing(t *testing.T) {
	server, collector := env.Roadstead.APIServer(), env.Cluster.Component(cluster.ControllerManager)
	dependentsOutlive(t, func() error { return errors.Join(server.Kill(), collector.Stop(), collector.Start(t.Context())) })
}
