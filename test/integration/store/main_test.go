// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package store tests the effects on a cluster when the store of its installation is lost,
// replaced, outdated or unavailable, with a real garbage collector and kubectl.
package store

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

var env *framework.Env

func TestMain(m *testing.M) {
	// A store that becomes unavailable causes errors in the log of the server.
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithController("--takaro-compare-period=2s"),
		framework.WithoutLogCheck(), framework.WithInstall(func(o *install.Options) { o.Restart = true }))
}

// data returns the directory of the embedded etcd.
func data() string { return env.Roadstead.StoreDir() }

// program runs roadstead-apiserver with a subcommand and returns its standard output and standard
// error.
func program(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../../bin/roadstead-apiserver", args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// accept runs accept-store for a store as the administrator.
func accept(t *testing.T, id string) (string, error) {
	t.Helper()
	return env.AcceptStore(t, []string{"accept-store", "--id=" + id})
}

// requireAccepted runs the command in an error message with consent to the deletion of objects, and
// waits until the store is served.
func requireAccepted(t *testing.T, message string) {
	t.Helper()
	out, err := env.AcceptStore(t, framework.AcceptArgs(t, message), "--yes")
	require.NoError(t, err, out)
	awaitServed(t)
}

// requireNotAccepted runs the command in an error message without consent to the deletion of
// objects, and returns the output.
func requireNotAccepted(t *testing.T, message string) string {
	t.Helper()
	out, err := env.AcceptStore(t, framework.AcceptArgs(t, message))
	require.Error(t, err, out)
	t.Logf("$ roadstead-apiserver accept-store ...\n%s", out)
	return out
}

// awaitServed waits until Domains can be listed, which means that the store is served.
func awaitServed(t *testing.T) {
	t.Helper()
	framework.Await(t, "the store is served", func() error {
		_, _, err := env.Cluster.Kubectl(t.Context(), "get", "domains.takaro.roadstead.dev", "-A")
		return err
	})
}

func stopServer(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Roadstead.APIServer().Stop())
}

// startServer starts the server and waits until it responds, even with an error.
func startServer(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Roadstead.APIServer().StartRefusing(t.Context()))
	require.NoError(t, env.Roadstead.AwaitAvailable(t.Context()), "discovery is served")
	// The aggregation layer removes the kinds of an unavailable server from discovery, and retries
	// within seconds.
	framework.Await(t, "discovery of our kinds", func() error {
		out, _, err := env.Cluster.Kubectl(t.Context(), "api-resources", "--api-group=takaro.roadstead.dev")
		if err == nil && !strings.Contains(out, "mockservers") {
			err = errors.New("not listed yet")
		}
		return err
	})
}
