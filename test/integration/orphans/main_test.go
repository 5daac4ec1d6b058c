// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package orphans tests the handling of objects whose namespace is deleted: with a real control
// plane, both programs with the shipped rights, and a simulated Takaro.
package orphans

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// The tests start their own controllers, because each needs other flags. A controller that is
// stopped during a request causes errors in the log of the server.
func TestMain(m *testing.M) { framework.Main(m, &env, framework.WithoutLogCheck()) }
