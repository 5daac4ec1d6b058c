// SPDX-License-Identifier: Apache-2.0

//go:build integration

package main

import (
	"bytes"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestUpStaysAndDownEndsIt(t *testing.T) {
	program := t.TempDir() + "/cluster"
	built, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", built)
	dir := t.TempDir()
	run := func(verb string) string {
		var out bytes.Buffer
		begin := time.Now()
		cmd := exec.CommandContext(t.Context(), program, verb, "--dir", dir)
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Run(), "%s", out.String())
		t.Logf("%s took %d ms", verb, time.Since(begin).Milliseconds())
		return out.String()
	}
	t.Cleanup(func() { _ = exec.Command(program, "down", "--dir", dir).Run() })

	require.Contains(t, run("up"), "Ready after")
	s, err := loadState(dir)
	require.NoError(t, err)
	require.Len(t, s.Processes, 5)
	nodes, err := exec.Command(s.Kubectl, "--kubeconfig", s.Kubeconfig, "get", "nodes", "-o", "name").CombinedOutput()
	require.NoError(t, err, "%s", nodes)
	require.Equal(t, "node/kwok-0\n", string(nodes))
	require.Contains(t, run("up"), "already runs")

	run("down")
	alive, _, err := s.split()
	require.NoError(t, err)
	require.Empty(t, alive)
	require.Contains(t, run("down"), "No cluster runs")
}
