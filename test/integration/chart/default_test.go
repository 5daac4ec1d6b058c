// SPDX-License-Identifier: Apache-2.0

//go:build integration

package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestTheDefaultInstallation covers the complete lifecycle of an installation with default values.
func TestTheDefaultInstallation(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.disks()
	t.Log(h.mustHelm("install", "roadstead", chartPath, "-n", namespace, "--create-namespace", "--wait", "--timeout", "2m"))
	h.Kubectl(h.t, "", "wait", "--for=condition=Available", "apiservices/v1alpha1.takaro.roadstead.dev",
		"apiservices/v1alpha1.release.roadstead.dev", "--timeout=30s")
	h.leadToRedis()
	assert.Zero(t, h.restarts(t), "nothing fails at the start")
	manifest, server := h.environment()
	h.applyEnvironment(manifest)

	t.Run("an upgrade that changes the controller does not touch the server", func(t *testing.T) {
		before := h.uid(t, "roadstead-apiserver-0")
		load := h.startLoad(exampleNamespace, "arena")
		h.mustHelm("upgrade", "roadstead", chartPath, "-n", namespace, "--set", "controller.logLevel=debug", "--wait", "--timeout", "2m")
		requests, failed, _ := load.end()
		t.Logf("%d requests", requests)
		assert.Empty(t, failed)
		assert.Equal(t, before, h.uid(t, "roadstead-apiserver-0"))
		h.applyEnvironment(manifest)
	})
	t.Run("one that restarts the only server is a gap of seconds, and loses nothing", func(t *testing.T) {
		load := h.startLoad(exampleNamespace, "arena")
		h.mustHelm("upgrade", "roadstead", chartPath, "-n", namespace, "--reset-then-reuse-values", "--set", "apiserver.logLevel=debug",
			"--wait", "--timeout", "2m")
		requests, failed, away := load.end()
		t.Logf("%d of %d requests failed, over %s", len(failed), requests, away)
		assert.Less(t, away.Seconds(), 10.0)
		h.applyEnvironment(manifest)
		assert.Len(t, server.Domains(), 1)
	})
	t.Run("it is not uninstalled while objects exist, and says which", func(t *testing.T) {
		out, err := h.Helm(t, "uninstall", "roadstead", "-n", namespace, "--timeout", "1m")
		t.Log(out)
		require.Error(t, err)
		assert.Contains(t, out, "domains.takaro.roadstead.dev takaro-environment/arena")
		assert.Contains(t, out, "helm rollback <release> <revision> -n roadstead-system")
		h.applyEnvironment(manifest)
	})
	t.Run("it is uninstalled without a trace", func(t *testing.T) {
		// The User may be deleted with its Domain before kubectl deletes it.
		h.Kubectl(h.t, manifest, "delete", "-f", "-", "--timeout=60s", "--ignore-not-found")
		assert.Empty(t, server.Domains())
		h.mustHelm("uninstall", "roadstead", "-n", namespace, "--wait", "--timeout", "2m")
		assert.Empty(t, h.left())
		h.Kubectl(h.t, "", "create", "namespace", "another")
		h.Kubectl(h.t, "", "delete", "namespace", "another", namespace, "--timeout=30s")
	})
}

func (h *host) uid(t *testing.T, pod string) string {
	t.Helper()
	p, err := h.Admin.CoreV1().Pods(namespace).Get(t.Context(), pod, metav1.GetOptions{})
	require.NoError(t, err)
	return string(p.UID)
}

// restarts returns the total number of restarts of all containers of the installation.
func (h *host) restarts(t *testing.T) int {
	t.Helper()
	pods, err := h.Admin.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	count := 0
	for i := range pods.Items {
		for _, c := range pods.Items[i].Status.ContainerStatuses {
			count += int(c.RestartCount)
		}
	}
	return count
}
