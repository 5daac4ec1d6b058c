// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/process"
)

// restarted is the environment of TestRestarts. It is stopped together with the shared environment,
// because other tests read its logs.
var restarted *framework.Env

// TestRestarts stops and kills controllers. It uses a separate cluster, so that it does not affect
// the tests that run in parallel.
func TestRestarts(t *testing.T) {
	t.Parallel()
	var err error
	restarted, err = framework.Start(t.Context(), framework.WithAudit("Metadata"), framework.WithController(controllerArgs...))
	require.NoError(t, err)
	env.AtStop(restarted.Stop)
	for _, c := range []struct {
		name string
		test func(*testing.T)
	}{
		{"the Lease is taken over after a kill", leaseTakenOver},
		{"killed in create and delete", killedInCreateAndDelete},
		{"deleted while the controller dies in the create", deletedWhileTheControllerDies},
		{"two controllers that both lead", twoControllersThatBothLead},
		{"Helm waits", helmWaits},
	} {
		t.Run(c.name, c.test)
	}
}

// newRestartedTeam returns a team in the cluster of TestRestarts.
func newRestartedTeam(t *testing.T, options takaro.Options) *team {
	t.Helper()
	return &team{restarted.Team(t, newTakaro(t, options))}
}

// controllerLogs are the paths of the logs of all controllers so far.
var controllerLogs []string

// leading starts a controller without leader election. It is stopped at the end of the test.
func leading(t *testing.T) *process.Process {
	t.Helper()
	dir := filepath.Dir(restarted.Roadstead.Controller().Log())
	log := filepath.Join(dir, restarted.Name("leading")+".log")
	args := append([]string{"--kubeconfig=" + filepath.Join(dir, "roadstead-controller.kubeconfig"), "--namespace=roadstead-system",
		"--allow-loopback", "--metrics-bind-address=", "--leader-elect=false"}, controllerArgs...)
	program, err := filepath.Abs("../../../bin/roadstead-controller")
	require.NoError(t, err)
	started, err := process.Start(process.Options{Program: program, Args: args, Dir: dir, Log: log})
	require.NoError(t, err)
	controllerLogs = append(controllerLogs, log)
	t.Cleanup(func() { _ = started.Stop(30 * time.Second) })
	return started
}

// withoutTheUsual stops the installed controller for one test.
func withoutTheUsual(t *testing.T) {
	t.Helper()
	require.NoError(t, restarted.Roadstead.Controller().Stop())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
		defer cancel()
		require.NoError(t, restarted.Roadstead.Controller().Start(ctx))
	})
}
