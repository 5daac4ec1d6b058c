// SPDX-License-Identifier: Apache-2.0

//go:build integration

package mockservers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/install"
)

const deploy = "../../../artifacts/deploy"

// TestBundledRedisIsAccepted verifies that the cluster accepts the manifests unchanged and that
// they conform to the restricted Pod Security Standard.
func TestBundledRedisIsAccepted(t *testing.T) {
	kubectl := func(args ...string) (string, string) {
		t.Helper()
		out, problems, err := env.Cluster.Kubectl(t.Context(), args...)
		require.NoError(t, err)
		return out, problems
	}
	kubectl("label", "namespace", install.Namespace, "pod-security.kubernetes.io/warn=restricted")
	_, problems := kubectl("create", "deployment", "any", "--image=any", "--dry-run=server", "-n", install.Namespace)
	require.Contains(t, problems, "would violate PodSecurity", "the standard is watched over")

	out, problems := kubectl("apply", "--dry-run=server", "-k", filepath.Join(deploy, "redis"))
	assert.Empty(t, problems)
	for _, object := range []string{"configmap", "service", "networkpolicy.networking.k8s.io", "statefulset.apps"} {
		assert.Contains(t, out, object+"/roadstead-redis created (server dry run)")
	}
	kubectl("label", "namespace", install.Namespace, "pod-security.kubernetes.io/warn-")
}

// TestBundledRedisBesideTheBase verifies that one overlay can contain both.
func TestBundledRedisBesideTheBase(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	folder, err := filepath.Abs(deploy)
	require.NoError(t, err)
	relative, err := filepath.Rel(dir, folder)
	require.NoError(t, err)
	overlay := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + relative + "/base, " + relative + "/redis]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(overlay), 0o600))
	out, _, err := env.Cluster.Kubectl(t.Context(), "kustomize", dir)
	require.NoError(t, err)
	assert.Contains(t, out, "name: roadstead-redis\n")
	assert.Contains(t, out, "name: roadstead-controller\n")
	out, _, err = env.Cluster.Kubectl(t.Context(), "kustomize", filepath.Join(deploy, "base"))
	require.NoError(t, err)
	assert.NotContains(t, out, "name: roadstead-redis\n", "who has a Redis gets no second one")
}
