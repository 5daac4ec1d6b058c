// SPDX-License-Identifier: Apache-2.0

package process

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

// parentEnv makes this test binary start one child, print its ID and wait: see
// TestChildDiesWithItsParent.
const parentEnv = "ROADSTEAD_TEST_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentEnv); dir != "" {
		p, err := Start(Options{Program: "/bin/sleep", Args: []string{"60"}, Dir: dir, Log: filepath.Join(dir, "log")})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(p.PID())
		<-p.Done()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func shell(t *testing.T, script string) (*Process, string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(Options{Program: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Log: log})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Kill() })
	return p, log
}

// ended reports whether a process has exited. A process that is not reaped yet counts as exited.
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
	require.NoError(t, p.Stop(time.Minute))
	require.True(t, logged(log, "bye")())
	require.False(t, p.Running())
	require.NoError(t, p.Stop(time.Minute), "a second stop finds nothing to do")
}

func TestStopInsists(t *testing.T) {
	p, log := shell(t, `trap '' TERM; echo up; while :; do sleep 0.01; done`)
	require.Eventually(t, logged(log, "up"), 10*time.Second, 5*time.Millisecond)
	require.True(t, p.Running())
	require.NoError(t, p.Stop(50*time.Millisecond))
	require.ErrorContains(t, p.Err(), "killed")
}

func TestChildrenOutliveTheThreadsThatAskedForThem(t *testing.T) {
	// Several programs are started, because the main thread of a process does not exit with its
	// goroutine.
	const several = 4
	asked := make(chan *Process, several)
	dir := t.TempDir()
	for range several {
		go func() {
			// The thread is not unlocked, so it exits with this goroutine.
			runtime.LockOSThread()
			p, err := Start(Options{Program: "/bin/sleep", Args: []string{"60"}, Dir: dir, Log: filepath.Join(dir, "log")})
			assert.NoError(t, err)
			asked <- p // nil after an error
		}()
	}
	children := make([]*Process, several)
	for i := range children {
		children[i] = <-asked
		require.NotNil(t, children[i])
		defer func() { _ = children[i].Kill() }()
	}
	quiet, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	for _, child := range children {
		select {
		case <-child.Done():
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
	p, err := Start(Options{Program: "/bin/sleep", Args: []string{"60"}, Dir: t.TempDir(),
		Log: filepath.Join(t.TempDir(), "log"), Detached: true})
	require.NoError(t, err)
	defer func() { _ = p.Kill() }()
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(p.PID()), 0, 0)
	require.Zero(t, errno)
	require.Equal(t, p.PID(), int(session))
}

func TestStartOfAMissingProgramNamesIt(t *testing.T) {
	_, err := Start(Options{Program: "/no/such/program", Dir: t.TempDir(), Log: filepath.Join(t.TempDir(), "log")})
	require.ErrorContains(t, err, "/no/such/program")
}

func TestEnvironment(t *testing.T) {
	t.Setenv("KUBECONFIG", "the user's own")
	log := filepath.Join(t.TempDir(), "log")
	p, err := Start(Options{
		Program: "/bin/sh", Args: []string{"-c", `echo "[$KUBECONFIG] $GREETING $HOME"; exit 3`},
		Dir: "/", Log: log, Env: []string{"GREETING=hello", "HOME=/elsewhere"},
	})
	require.NoError(t, err)
	require.ErrorContains(t, p.Err(), "exit status 3")
	require.Equal(t, "[] hello /elsewhere", Tail(log, 1))
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
		require.Equal(t, tc.want, Tail(log, tc.lines))
	}
	require.Contains(t, Tail(log+"-none", 3), "no such file")
}
