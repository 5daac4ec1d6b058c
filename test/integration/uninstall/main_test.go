// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package uninstall tests the end of an installation: a real control plane, both programs, an environment in the Takaro
// stand-in, and prepare-uninstall with the rights that are shipped for it and no more.
package uninstall

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
)

// env has no installation: each test creates its own, and ends it.
var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithoutInstallation(), framework.WithAudit("Request"), framework.WithOwnersEnforced(),
		framework.WithPlayer(0.05, 0.01), framework.WithRedis())
}
