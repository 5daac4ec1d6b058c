// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package uninstall tests the uninstallation: with a real control plane, both programs, an
// environment in a simulated Takaro, and prepare-uninstall with only the rights that are shipped
// for it.
package uninstall

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
)

// env has no installation: each test creates and uninstalls one.
var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithoutInstallation(), framework.WithAudit("Request"), framework.WithOwnersEnforced(),
		framework.WithPlayer(0.05, 0.01), framework.WithRedis())
}
