// SPDX-License-Identifier: Apache-2.0

//go:build integration

package plugin

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// TestTheServerIsAway is the last test because it makes the server unavailable.
func TestTheServerIsAway(t *testing.T) {
	e := newEnvironment(t)
	e.apply()
	e.awaitReady()
	require.NoError(t, env.Roadstead.APIServer().Stop())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), framework.Limit)
		defer cancel()
		require.NoError(t, env.Roadstead.APIServer().Start(ctx))
		require.NoError(t, env.Roadstead.AwaitAvailable(ctx))
	})
	for who, kubeconfig := range map[string]string{"a person": e.kubeconfig, "an administrator": env.Cluster.Kubeconfig()} {
		framework.Await(t, who, func() error {
			got := roadstead(t, kubeconfig, "status", "-n", e.namespace)
			if got.code != 2 || !strings.Contains(got.out, "APIService/v1alpha1.takaro.roadstead.dev") {
				return fmt.Errorf("exit code %d:\n%s%s", got.code, got.out, got.problems)
			}
			t.Logf("%s:\n%s%s", who, got.out, got.problems)
			return nil
		})
	}
	got := e.roadstead("tree", "domain", "arena")
	assert.Equal(t, 2, got.code)
	assert.NotEmpty(t, got.problems)
}
