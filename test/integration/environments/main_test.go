// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package environments tests whole environments, a Domain with its MockServers and Users, as teams meet them: the shipped
// manifest in several namespaces, its end in every way, a Takaro that refuses the token meanwhile.
package environments

import (
	"fmt"
	"testing"
	"time"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// The shipped minute and rate (10/s), both twelve times as fast: the same number of Domains fills them.
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
		// What waits for the end of a namespace needs no processor.
		framework.WithParallel(8))
}
