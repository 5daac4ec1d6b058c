// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parentEnv makes this test binary start one child, print its id and wait: see TestChildDiesWithItsParent.
const parentEnv = "ROADSTEAD_TEST_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		p, err := startProcess("/bin/sleep", []string{"60"}, dir, filepath.Join(dir, "log"), false)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.cmd.Process.Pid)
		<-p.done
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func shell(t *testing.T, script string) (*process, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	p, err := startProcess("/bin/sh", []string{"-c", script}, t.TempDir(), log, false)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.kill() })
	return p, log
}

// ended takes a process as ended that nobody has reaped yet.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func logged(log, text string) func() bool {
	return func() bool {
		content, err := os.ReadFile(log)
		return err == nil && strings.Contains(string(content), text)
	}
}

func TestStopEndsAPoliteProcess(t *testing.T) {
	p, log := shell(t, `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done`)
	require.Eventually(t, logged(log, "up"), 10*time.Second, 5*time.Millisecond)
	require.NoError(t, p.stop(time.Minute))
	require.True(t, logged(log, "bye")())
	require.False(t, p.running())
	require.NoError(t, p.stop(time.Minute), "a second stop finds nothing to do")
}

func TestStopInsists(t *testing.T) {
	p, log := shell(t, `trap '' TERM; echo up; while :; do sleep 0.01; done`)
	require.Eventually(t, logged(log, "up"), 10*time.Second, 5*time.Millisecond)
	require.True(t, p.running())
	require.NoError(t, p.stop(50*time.Millisecond))
	require.ErrorContains(t, p.err, "killed")
}

func TestChildrenOutliveTheThreadsThatAskedForThem(t *testing.T) {
	// Several, because the main thread of a program does not end with its goroutine.
	const several = 4
	asked := make(chan *process, several)
	dir := t.TempDir()
	for range several {
		go func() {
			// Not unlocked: the thread ends with this goroutine.
			runtime.LockOSThread()
			p, err := startProcess("/bin/sleep", []string{"60"}, dir, filepath.Join(dir, "log"), false)
			assert.NoError(t, err)
			asked <- p // nil after an error
		}()
	}
	children := make([]*process, several)
	for i := range children {
		children[i] = <-asked
		require.NotNil(t, children[i])
		defer func() { _ = children[i].kill() }()
	}
	quiet, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, child := range children {
		select {
		case <-child.done:
			t.Fatal("a child died with a thread of its parent")
		case <-quiet.Done():
		}
	}
}

func TestChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentEnv+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line := make([]byte, 32)
	n, err := out.Read(line)
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	require.NoError(t, err, "the parent said: %s", line[:n])
	require.False(t, ended(child))
	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	require.Eventually(t, func() bool { return ended(child) }, 10*time.Second, 5*time.Millisecond)
}

func TestDetachedProcessHasItsOwnSession(t *testing.T) {
	p, err := startProcess("/bin/sleep", []string{"60"}, t.TempDir(), filepath.Join(t.TempDir(), "log"), true)
	require.NoError(t, err)
	defer func() { _ = p.kill() }()
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(p.cmd.Process.Pid), 0, 0)
	require.Zero(t, errno)
	require.Equal(t, p.cmd.Process.Pid, int(session))
}

func TestStartOfAMissingProgramNamesIt(t *testing.T) {
	_, err := startProcess("/no/such/program", nil, t.TempDir(), filepath.Join(t.TempDir(), "log"), false)
	require.ErrorContains(t, err, "/no/such/program")
}

func TestTail(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	for _, tc := range []struct {
		text, want string
		lines      int
	}{
		{"", "", 3},
		{"a\n", "a", 3},
		{"a\nb\nc\nd\n", "c\nd", 2},
		{strings.Repeat("x\n", 20000) + "end", "x\nend", 2},
	} {
		require.NoError(t, os.WriteFile(log, []byte(tc.text), 0o600))
		require.Equal(t, tc.want, tail(log, tc.lines))
	}
	require.Contains(t, tail(log+"-none", 3), "no such file")
}
