// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sleeper starts a process that this test reaps as soon as it exits.
func sleeper(t *testing.T, script string) (identity, <-chan error) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	up := make([]byte, 2)
	_, err = out.Read(up)
	require.NoError(t, err)
	id, err := identify(cmd.Process.Pid)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { _ = id.signal(syscall.SIGKILL) })
	return id, done
}

const (
	polite   = "echo up; exec sleep 60"
	stubborn = "trap '' TERM; echo up; while :; do sleep 0.01; done"
)

func TestStartTicks(t *testing.T) {
	rest := strings.Repeat(" 7", 17)
	for name, tc := range map[string]struct {
		stat string
		want uint64
		err  string
	}{
		"plain":                 {"12 (etcd) S 1" + rest + " 4711 9 9", 4711, ""},
		"name with parentheses": {"12 (a) b) R (c) S 1" + rest + " 4711 9", 4711, ""},
		"ended, not reaped":     {"12 (etcd) Z 1" + rest + " 4711 9 9", 0, errNoProcess.Error()},
		"cut off":               {"12 (etcd) S 1 2 3", 0, "only 4 fields"},
		"not a number":          {"12 (etcd) S 1" + rest + " x 9 9", 0, "invalid syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := startTicks(tc.stat)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestIdentityOfThisProcess(t *testing.T) {
	me, err := identify(os.Getpid())
	require.NoError(t, err)
	alive, err := me.alive()
	require.NoError(t, err)
	require.True(t, alive)
	for _, other := range []identity{
		{me.PID, me.StartTicks + 1, me.BootID},
		{me.PID, me.StartTicks, "another boot"},
	} {
		alive, err := other.alive()
		require.NoError(t, err)
		require.False(t, alive)
	}
}

func TestAProcessThatReusesTheIDIsLeftAlone(t *testing.T) {
	id, done := sleeper(t, polite)
	earlier := id
	earlier.StartTicks--
	require.NoError(t, earlier.end(t.Context(), 0))
	alive, err := id.alive()
	require.NoError(t, err)
	require.True(t, alive, "a foreign process was ended")
	require.NoError(t, id.end(t.Context(), time.Minute))
	require.Error(t, <-done)
}

func TestEndInsists(t *testing.T) {
	id, done := sleeper(t, stubborn)
	require.NoError(t, id.end(t.Context(), 50*time.Millisecond))
	require.ErrorContains(t, <-done, "killed")
	require.NoError(t, id.end(t.Context(), time.Minute), "a second end finds nothing to do")
}

func TestAnEndedProcessIsGoneBeforeItIsReaped(t *testing.T) {
	cmd := exec.Command("/bin/true")
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		_, err := identify(cmd.Process.Pid)
		return errors.Is(err, errNoProcess)
	}, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, cmd.Wait())
}
