// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/test/framework"
)

const (
	// patience is the timeout of the legacy client below for one group. client-go requests each
	// group twice. Helm waits 32 s.
	patience = 3 * time.Second
	// clientGo is the default timeout of discovery in client-go, which kubectl and Helm use.
	clientGo = 32 * time.Second
	// slack is the maximum time for everything except waiting.
	slack = 5 * time.Second
)

// TestC20ClientsThatListAllGroups tests clients that discover every group first, such as Helm, kapp
// and kubectl. A frozen Roadstead server delays them at most by their own timeout, and only for
// Roadstead's groups (helm #6361, kapp #12).
func TestC20ClientsThatListAllGroups(t *testing.T) {
	e := apart(t)
	pid := e.Roadstead.APIServer().PID()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	thaw := func() { require.NoError(t, syscall.Kill(pid, syscall.SIGCONT)) }
	t.Cleanup(thaw)

	t.Run("kubectl", func(t *testing.T) {
		begin := time.Now()
		out, _, err := e.Cluster.Kubectl(t.Context(), "api-resources", "--no-headers", "--cache-dir="+t.TempDir())
		took := time.Since(begin)
		t.Logf("kubectl api-resources took %s with our server frozen", took.Round(time.Millisecond))
		if err != nil {
			require.ErrorContains(t, err, group, "only our group may be missed")
		}
		assert.Contains(t, out, "apps/v1")
		assert.Less(t, took, slack)
	})
	t.Run("a client of single groups", func(t *testing.T) {
		config := rest.CopyConfig(e.Cluster.AdminConfig())
		config.Timeout = patience
		client, err := discovery.NewDiscoveryClientForConfig(config)
		require.NoError(t, err)
		client.UseLegacyDiscovery = true
		begin := time.Now()
		groups, resources, err := client.ServerGroupsAndResources()
		took := time.Since(begin)
		t.Logf("discovery group by group took %s with our server frozen", took.Round(time.Millisecond))
		failed, ok := discovery.GroupDiscoveryFailedErrorGroups(err)
		require.True(t, ok, "%v", err)
		require.ElementsMatch(t, []schema.GroupVersion{{Group: group, Version: version}, {Group: releaseGroup, Version: version}},
			slices.Collect(maps.Keys(failed)), "%v", failed)
		var names []string
		for _, one := range groups {
			names = append(names, one.Name)
		}
		assert.Contains(t, names, group)
		var versions []string
		for _, list := range resources {
			versions = append(versions, list.GroupVersion)
		}
		assert.Subset(t, versions, []string{"v1", "apps/v1", "batch/v1"})
		assert.Less(t, took, 2*patience+slack)
	})
	t.Run("a manifest without our kinds", func(t *testing.T) {
		begin := time.Now()
		_, _, err := e.Cluster.KubectlAs(e.Cluster.Kubeconfig()).
			WithStdin(strings.NewReader("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: foreign, namespace: default}\n")).
			Run(t.Context(), "apply", "--cache-dir="+t.TempDir(), "-f", "-")
		took := time.Since(begin)
		require.NoError(t, err, "it must not fail")
		t.Logf("kubectl apply of a ConfigMap took %s with our server frozen", took.Round(time.Millisecond))
		assert.Less(t, took, clientGo+slack, "it waits for our group once at most")
	})
	thaw()
	awaitAvailable(t, apiServices(t, e))
	// Discovery reports the group slightly later than the APIService is available.
	framework.Await(t, "discovery to list all kinds again", func() error {
		out, _, err := e.Cluster.Kubectl(t.Context(), "api-resources", "--api-group="+group, "--no-headers", "--cache-dir="+t.TempDir())
		if err != nil {
			return err
		}
		for _, k := range kinds {
			if !strings.Contains(out, k.resource) {
				return fmt.Errorf("%s is not in %q", k.resource, out)
			}
		}
		return nil
	})
}
