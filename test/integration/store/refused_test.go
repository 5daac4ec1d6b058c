// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// requireRefused verifies the behavior with a refused store: 503 with the reason and the command
// that accepts the store, working discovery and other API groups, and no object changed in several
// passes of the garbage collector. It returns the message.
func (f *family) requireRefused(state string, says ...string) (message string) {
	f.t.Helper()
	ctx := f.t.Context()
	framework.Await(f.t, "the state "+state, func() error {
		if series := fmt.Sprintf("roadstead_store_identity_state{state=%q} 1", state); !strings.Contains(f.server("/metrics"), series) {
			return fmt.Errorf("no %s", series)
		}
		return nil
	})
	for _, args := range [][]string{
		{"get", "domains.takaro.roadstead.dev", "-n", f.namespace}, {"get", "domains.takaro.roadstead.dev", "arena", "-n", f.namespace},
		{"get", "users.takaro.roadstead.dev", "-A"}, {"delete", "mockservers.takaro.roadstead.dev", "x", "-n", f.namespace},
	} {
		out, problems, err := env.Cluster.Kubectl(ctx, args...)
		require.Error(f.t, err, out)
		require.Empty(f.t, out)
		for _, text := range append(says, state, "Error from server (ServiceUnavailable)", "roadstead-apiserver accept-store --id=") {
			require.Contains(f.t, problems, text, "kubectl %v", args)
		}
		f.t.Logf("$ kubectl %s\n%s", strings.Join(args, " "), problems)
		message = problems
	}
	out, _, err := env.Cluster.Kubectl(ctx, "api-resources", "--api-group=takaro.roadstead.dev")
	require.NoError(f.t, err)
	require.Contains(f.t, out, "mockservers")
	_, _, err = env.Cluster.Kubectl(ctx, "get", "pods", "-n", f.namespace)
	require.NoError(f.t, err)
	verbose := framework.Do(f.t, env.Cluster.AdminConfig(), framework.Request{Path: "/readyz"})
	require.Equal(f.t, 200, verbose.Code, "the host is not affected")
	require.NoError(f.t, install.Ready(ctx, env.Roadstead.APIServerAddr()), "the pod is ready: no other one serves")
	f.rounds()
	f.requireAlive()
	return message
}

// server queries roadstead-apiserver directly as an administrator.
func (f *family) server(path string) string {
	f.t.Helper()
	config := env.Direct(env.Roadstead.APIServerAddr())
	return string(framework.Do(f.t, config, framework.Request{Path: path, Accept: "text/plain"}).Body)
}
