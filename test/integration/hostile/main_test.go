// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

// Package hostile tests that a tenant that attacks the installation does not affect the others:
// with a real control plane, both programs with the shipped settings, and neighbors whose
// environments must stay Ready.
package hostile

import (
	"strings"
	"testing"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

var env *framework.Env

func TestMain(m *testing.M) {
	framework.Main(m, &env, framework.WithAuthority(), framework.WithController(), framework.WithoutLogCheck())
}

// newTakaro starts a simulated Takaro.
func newTakaro(t *testing.T) *takaro.Server {
	t.Helper()
	return framework.NewTakaro(t, takaro.Options{TLS: env.Serving})
}

// apply applies manifests as an administrator.
func apply(t *testing.T, manifests ...string) {
	t.Helper()
	env.Kubectl(t, strings.Join(manifests, "---\n"), "apply", "-f", "-")
}
