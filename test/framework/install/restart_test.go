// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/process"
)

// newFailing returns a program that appends a line to a file and fails. In its third run it keeps
// running and serves.
func newFailing(t *testing.T, restart bool) (p *Program, runs func() int) {
	t.Helper()
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	runs = func() int {
		content, err := os.ReadFile(count)
		if !errors.Is(err, os.ErrNotExist) {
			require.NoError(t, err)
		}
		return strings.Count(string(content), "\n")
	}
	p = &Program{name: "failing", restart: restart, run: process.Options{Program: "/bin/sh", Dir: dir,
		Log: filepath.Join(dir, "log"), Args: []string{
			"-c", `trap 'exit 0' TERM; echo >> count; test "$(wc -l < count)" -ge 3 || exit 1; while :; do sleep 0.01; done`, "sh",
		}}, check: func(context.Context) error {
		if runs() < 3 {
			return errors.New("not yet")
		}
		return nil
	}}
	t.Cleanup(func() { _ = p.Kill() })
	return p, runs
}

func TestProgram_Restarts(t *testing.T) {
	p, runs := newFailing(t, true)
	require.NoError(t, p.Start(t.Context()))
	require.Equal(t, 3, runs())
	first := p.PID()
	require.NoError(t, p.current().Kill())
	require.Eventually(t, func() bool { return runs() == 4 && p.Running() }, 10*time.Second, 5*time.Millisecond)
	require.NotEqual(t, first, p.PID())
	for _, end := range []func() error{p.Stop, p.Kill} {
		require.NoError(t, end())
		require.False(t, p.Running())
		require.Nil(t, p.stopRestarts, "nothing restarts it")
		before := runs()
		require.NoError(t, p.Start(t.Context()))
		require.Eventually(t, func() bool { return runs() == before+1 }, 10*time.Second, 5*time.Millisecond)
	}
}

func TestProgram_StopsBetweenRestarts(t *testing.T) {
	p, _ := newFailing(t, true)
	ctx, cancel := context.WithTimeout(t.Context(), firstPause/4)
	defer cancel()
	require.ErrorIs(t, p.Start(ctx), context.DeadlineExceeded, "it fails, and is started again later")
	require.NoError(t, p.Stop())
	require.False(t, p.Running())
}

func TestProgram_FailsWithoutRestart(t *testing.T) {
	p, runs := newFailing(t, false)
	require.ErrorContains(t, p.Start(t.Context()), "ended before it was serving")
	require.Equal(t, 1, runs())
}
