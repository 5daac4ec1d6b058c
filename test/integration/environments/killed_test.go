// SPDX-License-Identifier: Apache-2.0

//go:build integration

package environments

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/framework/process"
)

// leading starts a controller without leader election. It is stopped at the end of the test.
func leading(t *testing.T) *process.Process {
	t.Helper()
	dir := filepath.Dir(env.Roadstead.Controller().Log())
	program, err := filepath.Abs("../../../bin/roadstead-controller")
	require.NoError(t, err)
	args := append([]string{"--kubeconfig=" + filepath.Join(dir, "roadstead-controller.kubeconfig"), "--namespace=" + install.Namespace,
		"--allow-loopback", "--metrics-bind-address=", "--leader-elect=false"}, controllerArgs...)
	started, err := process.Start(process.Options{Program: program, Args: args, Dir: dir, Log: filepath.Join(dir, env.Name("leading")+".log")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = started.Stop(30 * time.Second) })
	return started
}

// TestControllerKilledAtEachStep kills the controller at times chosen so that some objects are
// before, some in, and some after each step.
func TestControllerKilledAtEachStep(t *testing.T) {
	require.NoError(t, env.Roadstead.Controller().Stop())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
		defer cancel()
		require.NoError(t, env.Roadstead.Controller().Start(ctx))
	})
	server := newTakaro(t, takaro.Options{Latency: 20 * time.Millisecond})
	controller := leading(t)
	var all []*environment
	for range 3 {
		e := newEnvironment(t, server)
		e.apply()
		all = append(all, e)
	}
	die := func(n int, method, path string) {
		framework.Await(t, method+" "+path, func() error {
			if count := server.Count(method, path); count < n {
				return fmt.Errorf("%d of %d", count, n)
			}
			return nil
		})
		require.NoError(t, controller.Kill())
		controller = leading(t)
	}
	die(2, http.MethodPost, "/domain")
	die(3, http.MethodPost, "/user")
	die(4, http.MethodPost, "/user/*/role/*")
	die(3, http.MethodPut, "/gameserver/*")
	begin := time.Now()
	var marks []string
	for _, e := range all {
		e.awaitReady()
		marks = append(marks, e.marks()...)
		made := e.inTakaro()
		assert.Equal(t, []string{"busy", "busy-1", "quiet"}, names(made.GameServers))
		var roles []string
		for _, user := range made.Users {
			roles = append(roles, user.Roles...)
		}
		slices.Sort(roles)
		assert.Equal(t, []string{"Admin", "Moderator", "root"}, roles, "each once: %+v", made.Users)
	}
	assert.Len(t, server.Domains(), len(all))
	t.Logf("all are Ready %d ms after the last of 4 kills", time.Since(begin).Milliseconds())

	for _, e := range all {
		env.Kubectl(e.t, "", "delete", "mockserver/quiet", "users.takaro.roadstead.dev/alice", "-n", e.namespace, "--wait=false")
	}
	die(1, http.MethodDelete, "/gameserver/*")
	for _, e := range all {
		e.deleteNamespace()
	}
	die(1, http.MethodDelete, "/domain/*")
	for _, e := range all {
		e.awaitNoNamespace()
	}
	requireNothingLeft(t, server, marks)
}
