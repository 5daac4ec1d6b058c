// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package plugin tests the kubectl plugin through kubectl, as a user with rights in one namespace,
// on complete environments with a fault.
package plugin

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithPlayer(0.2, 0), framework.WithRedis(), framework.WithoutLogCheck(), framework.WithParallel(8),
		framework.WithController("--takaro-compare-period=2s", "--takaro-qps=500", "--takaro-burst=500"))
}
