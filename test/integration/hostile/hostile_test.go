// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package hostile

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	release "roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/framework/process"
)

const (
	namespaces, each = 20, 10
	window           = 10 * time.Minute
	// statusLimit and readyLimit are the maximum times for a new User of another tenant.
	statusLimit, readyLimit = 10 * time.Second, 30 * time.Second
	// The memory limits of the manifests.
	mebi                                = 1 << 20
	controllerLimit, apiServerLimit int = 2048 * mebi, 1024 * mebi
)

// TestHostileTenant verifies that 200 environments stay Ready while a tenant attacks for ten
// minutes, that new objects of other tenants are processed in time, and that both programs stay
// below their memory limits.
func TestHostileTenant(t *testing.T) {
	n := newNeighbours(t, namespaces, each)
	t.Logf("before: controller %d MiB, API server %d MiB at most", peak(t, env.Roadstead.Controller())/mebi,
		peak(t, env.Roadstead.APIServer())/mebi)
	controller, server := env.Roadstead.Controller().PID(), env.Roadstead.APIServer().PID()
	attack(t, n)
	var slowestStatus, slowestReady time.Duration
	newcomers := 0
	for begin := time.Now(); time.Since(begin) < window; newcomers++ {
		status, ready := n.newcomer(t, newcomers)
		slowestStatus, slowestReady = max(slowestStatus, status), max(slowestReady, ready)
		for range 4 {
			assert.NoError(t, n.unready(t.Context(), namespaces*each), "after %s", time.Since(begin).Round(time.Second))
			time.Sleep(5 * time.Second) // interval of the observer
		}
	}
	t.Logf("%d new Users: a status after %s, Ready after %s at most", newcomers, slowestStatus.Round(time.Millisecond),
		slowestReady.Round(time.Millisecond))
	assert.Less(t, slowestStatus, statusLimit)
	assert.Less(t, slowestReady, readyLimit)
	require.Equal(t, controller, env.Roadstead.Controller().PID(), "the controller was not restarted")
	require.Equal(t, server, env.Roadstead.APIServer().PID(), "the API server was not restarted")
	ofController, ofServer := peak(t, env.Roadstead.Controller()), peak(t, env.Roadstead.APIServer())
	t.Logf("after: controller %d MiB, API server %d MiB at most", ofController/mebi, ofServer/mebi)
	assert.Less(t, ofController, controllerLimit)
	assert.Less(t, ofServer, apiServerLimit)
	for version, want := range map[string]string{"loop-1.0.0": release.ReasonRenderTooSlow, "text-1.0.0": release.ReasonRenderOutOfMemory} {
		reason, _, err := env.Cluster.Kubectl(t.Context(), "get", "operatorversion", version, "-o",
			`jsonpath={.status.conditions[?(@.type=="Ready")].reason}`)
		assert.NoError(t, err)
		assert.Equal(t, want, reason, version)
	}
}

// peak returns the peak memory of a program in bytes.
func peak(t *testing.T, program *install.Program) int {
	t.Helper()
	bytes, err := process.PeakMemory(program.PID())
	require.NoError(t, err)
	return bytes
}
