// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package orphans tests what becomes of objects whose namespace is gone: a real control plane, both programs with the
// rights that are shipped, and the Takaro stand-in.
package orphans

import (
	"testing"

	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

// The controllers are those of the tests: each needs other flags. One that is stopped in the middle of a request leaves traces
// in the server's log.
func TestMain(m *testing.M) { framework.Main(m, &env, framework.WithoutLogCheck()) }
