// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package environments tests complete environments, each a Domain with its MockServers and Users:
// the shipped manifest in several namespaces, its deletion in every order, and a Takaro that
// rejects the token during the deletion.
package environments

import (
	"fmt"
	"testing"
	"time"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// The default period of a minute and rate of 10/s, both twelve times as fast, so that the same
// number of Domains uses up the rate.
const (
	comparePeriod = 5 * time.Second
	takaroQPS     = 120
)

var controllerArgs = []string{"--takaro-compare-period=" + comparePeriod.String(), fmt.Sprintf("--takaro-qps=%d", takaroQPS),
	fmt.Sprintf("--takaro-burst=%d", takaroQPS), "--mock-server-unreachable-after=1m"}

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithOwnersEnforced(), framework.WithPlayer(0.2, 0),
		framework.WithRedis(), framework.WithController(controllerArgs...), framework.WithoutLogCheck(),
		framework.WithLast("^TestEveryRightIsUsed$"),
		// Tests that wait for the deletion of a namespace use little CPU.
		framework.WithParallel(8))
}
