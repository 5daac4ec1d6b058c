// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeTools creates a directory of programs that run the given shell scripts. Programs without a
// script sleep.
func fakeTools(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok, "kubectl"} {
		script, ok := scripts[name]
		if !ok {
			script = "exec sleep 60"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	return dir
}

func TestStartQuotesTheLogOfAProgramThatEnds(t *testing.T) {
	tools := fakeTools(t, map[string]string{Etcd: "echo the disk is on fire >&2; exit 3"})
	_, err := Start(t.Context(), Options{ToolsDir: tools})
	require.ErrorContains(t, err, "etcd ended while it was starting (exit status 3)")
	require.ErrorContains(t, err, "the disk is on fire")
}

func TestStartTriesOtherPortsWhenOneIsTaken(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	tools := fakeTools(t, map[string]string{Etcd: "echo $@ >>" + count + "; echo bind: address already in use; exit 1"})
	_, err := Start(t.Context(), Options{ToolsDir: tools})
	require.ErrorIs(t, err, errPortTaken)
	args, err := os.ReadFile(count)
	require.NoError(t, err)
	runs := strings.Split(strings.TrimSpace(string(args)), "\n")
	require.Len(t, runs, 3)
	require.NotEqual(t, runs[0], runs[1])
}

func TestStartThatTimesOutLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var pid int
	_, err := Start(ctx, Options{ToolsDir: fakeTools(t, nil), OnStart: func(p Process) { pid = p.PID }})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "etcd is not ready")
	require.NotZero(t, pid)
	require.True(t, ended(pid))
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "roadstead-cluster-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestOptionsThatCannotWork(t *testing.T) {
	_, err := Start(t.Context(), Options{AuditLevel: "all"})
	require.ErrorContains(t, err, "RequestResponse")
	_, err = Start(t.Context(), Options{ToolsDir: t.TempDir()})
	require.ErrorContains(t, err, "make tools")
	tools := fakeTools(t, nil)
	require.NoError(t, os.Remove(filepath.Join(tools, Scheduler)))
	_, err = Start(t.Context(), Options{ToolsDir: tools})
	require.ErrorContains(t, err, "kube-scheduler is not in")
	require.NoError(t, checkTools(tools, true), "a minimal cluster needs no scheduler")
}

func TestFindToolsAsksTheScriptOfTheCheckout(t *testing.T) {
	t.Setenv("ROADSTEAD_TOOLS", "/some/folder")
	dir, err := FindTools()
	require.NoError(t, err)
	require.Equal(t, "/some/folder", filepath.Dir(dir))
	t.Chdir(t.TempDir())
	_, err = FindTools()
	require.ErrorContains(t, err, "no hack/tools/build.sh")
}
