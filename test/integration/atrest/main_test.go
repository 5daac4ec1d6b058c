// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package atrest tests what very many environments cost: how long they take to be Ready, and that nothing is written and
// Takaro is asked no more than was promised when nobody wants anything.
package atrest

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
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithPlayer(0.2, 0), framework.WithRedis(),
		framework.WithController(controllerArgs...), framework.WithoutLogCheck())
}
