// SPDX-License-Identifier: Apache-2.0

//go:build integration

package chart

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/cluster"
)

// TestSeveralServers verifies that, with an external etcd, every pod is replaced without a failed
// request.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.disks()
	store, err := cluster.StartEtcd(t.Context(), cluster.Options{Dir: filepath.Join(h.dir, "store")})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Stop()) })
	ca, cert, key := store.ClientFiles()
	h.Kubectl(h.t, "", "create", "namespace", namespace)
	h.Kubectl(h.t, "", "create", "secret", "generic", "roadstead-etcd-client", "-n", namespace, "--from-file=ca.crt="+ca,
		"--from-file=tls.crt="+cert, "--from-file=tls.key="+key)
	// --goaway-chance may close a connection during a write (docs/operations.md). It is disabled
	// because this test is about the upgrade.
	values := []string{"--set", "apiserver.replicas=2", "--set", "etcd.mode=External", "--set", "etcd.external.servers={" +
		strings.Join(store.URLs(), ",") + "}",
		"--set", "apiserver.extraArgs={--goaway-chance=0}", "--set", "crdGuard.enabled=true", "--wait", "--timeout", "2m"}
	h.mustHelm(append([]string{"install", "ships", chartPath, "-n", namespace}, values...)...)
	h.leadToRedis()
	manifest, server := h.environment()
	h.applyEnvironment(manifest)

	t.Run("an upgrade of all pods fails no request", func(t *testing.T) {
		load := h.startLoad(exampleNamespace, "arena")
		h.mustHelm(append([]string{"upgrade", "ships", chartPath, "-n", namespace, "--set", "apiserver.logLevel=debug", "--set",
			"controller.logLevel=debug"}, values...)...)
		requests, failed, _ := load.end()
		t.Logf("%d requests", requests)
		assert.Empty(t, failed)
		h.applyEnvironment(manifest)
	})
	t.Run("the guard holds", func(t *testing.T) {
		examples := root + "/artifacts/examples/crd-guard/"
		h.Kubectl(h.t, "", "apply", "-f", examples+"1-installed.yaml")
		h.Kubectl(h.t, "", "wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
		h.Kubectl(h.t, "", "apply", "-f", examples+"2-objects.yaml")
		_, _, err := h.Cluster.Kubectl(t.Context(), "apply", "-f", examples+"4-breaking.yaml")
		require.ErrorContains(t, err, "CRD-101")
	})
	t.Run("all goes with it where that is wanted", func(t *testing.T) {
		out, err := h.Helm(t, "uninstall", "ships", "-n", namespace)
		require.Error(t, err, out)
		// The error message contains this command.
		h.mustHelm("rollback", "ships", "2", "-n", namespace)
		h.mustHelm("upgrade", "ships", chartPath, "-n", namespace, "--reset-then-reuse-values", "--set", "uninstall.objects=DeleteAll",
			"--wait", "--timeout", "2m")
		h.mustHelm("uninstall", "ships", "-n", namespace, "--wait", "--timeout", "3m")
		assert.Empty(t, server.Domains())
		// These objects belong to the store and are not managed by Helm. They allow a new
		// installation to take over the store.
		assert.Equal(t, []string{"configmaps roadstead-system/roadstead-store-identity", "secrets roadstead-system/roadstead-encryption",
			"secrets roadstead-system/roadstead-etcd-client"}, h.left())
		_, _, err = h.Cluster.Kubectl(context.Background(), "delete", "crd", "widgets.example.com", "--timeout=30s")
		require.NoError(t, err, "no webhook is left that nobody answers")
		h.Kubectl(h.t, "", "delete", "namespace", exampleNamespace, namespace, "--ignore-not-found", "--timeout=30s")
	})
}
