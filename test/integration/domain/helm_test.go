// SPDX-License-Identifier: Apache-2.0

//go:build integration

package domain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// TestHelmWaits: helm install --wait fails while no controller runs, and with one returns when the Domain is Ready.
func TestHelmWaits(t *testing.T) {
	u := newTeam(t, takaro.Options{})
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "templates"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte("apiVersion: v2\nname: arena\nversion: 1.0.0\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "templates", "domain.yaml"), []byte(u.manifest("arena", ownLogin)), 0o600))

	withoutTheUsual(t)
	out, err := u.helm("upgrade", "--install", "arena", dir, "--wait", "--timeout", "15s")
	require.Error(t, err, out)
	assert.Contains(t, out, "arena", "it says for what it waited")
	require.NoError(t, env.Roadstead.Controller().Start(t.Context()))
	out, err = u.helm("upgrade", "--install", "arena", dir, "--wait", "--timeout", "90s")
	require.NoError(t, err, out)
	found, err := u.Domains().Get(t.Context(), "arena", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, v1alpha1.DomainReady, found.Status.Phase, "Helm did not return before")
}

// helm runs the built Helm as the administrator, and returns all that it prints.
func (u *team) helm(args ...string) (string, error) {
	u.T.Helper()
	folder, err := exec.CommandContext(u.T.Context(), filepath.Join("..", "..", "..", "hack", "tools", "build.sh"),
		"--print-dir", "helm").Output()
	require.NoError(u.T, err)
	command := exec.CommandContext(u.T.Context(), filepath.Join(strings.TrimSpace(string(folder)), "helm"), append(args, "-n", u.Namespace)...)
	command.Env = []string{"KUBECONFIG=" + env.Cluster.Kubeconfig(), "HOME=" + u.T.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := command.CombinedOutput()
	return string(out), err
}
