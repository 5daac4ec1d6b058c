// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TryKubectl runs kubectl as the administrator with the given standard input and returns standard
// output and standard error.
func (e *Env) TryKubectl(t *testing.T, stdin string, args ...string) (out, problems string, err error) {
	t.Helper()
	return e.Cluster.KubectlAs(e.Cluster.Kubeconfig()).WithStdin(strings.NewReader(stdin)).Run(t.Context(), args...)
}

// Kubectl runs kubectl as the administrator with the given standard input, requires success and
// returns standard output.
func (e *Env) Kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, _, err := e.TryKubectl(t, stdin, args...)
	require.NoError(t, err)
	return out
}

// HelmDir returns the directory that contains the built Helm binary.
func HelmDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join("..", "..", "..", "hack", "tools", "build.sh"), "--print-dir", "helm").Output()
	if err != nil {
		return "", fmt.Errorf("find the folder of Helm: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Helm runs the built Helm as the administrator with a new home directory and returns standard
// output and standard error.
func (e *Env) Helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir, err := HelmDir(t.Context())
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), filepath.Join(dir, "helm"), args...)
	command.Env = []string{"KUBECONFIG=" + e.Cluster.Kubeconfig(), "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := command.CombinedOutput()
	return string(out), err
}
