// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// self is this program, even if its file was replaced meanwhile.
const self = "/proc/self/exe"

// process is a child.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	stderr  *head
	// late is true if the child was killed because of its time limit.
	late  atomic.Bool
	stops []func() bool

	mu sync.Mutex
	// dead is set before the ID of the process can be reused.
	dead   bool
	reaped sync.Once
}

// start starts a child that is killed with its process group after the timeout, or when ctx ends.
func start(ctx context.Context, handler string, timeout time.Duration) (*process, error) {
	p := &process{stderr: &head{most: maxStderr}}
	p.command = exec.Command(self, Argument, handler)
	p.command.Env = []string{}
	p.command.Dir = "/"
	p.command.Stderr = p.stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	timer := time.AfterFunc(timeout, func() {
		p.late.Store(true)
		p.kill()
	})
	p.stops = []func() bool{timer.Stop, context.AfterFunc(ctx, p.kill)}
	return p, nil
}

// kill kills the child and its process group.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	}
}

// end kills the child and reaps it.
func (p *process) end() {
	p.kill()
	p.reap()
}

// reap waits for the end of the child and reaps it. Until it is reaped, no other process can have its ID.
func (p *process) reap() {
	p.reaped.Do(func() {
		for {
			err := unix.Waitid(unix.P_PID, p.command.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, unix.EINTR) {
				break
			}
		}
		for _, stop := range p.stops {
			stop()
		}
		p.mu.Lock()
		p.dead = true
		p.mu.Unlock()
		_ = p.command.Wait() // the result is in ProcessState
	})
}

// outOfMemory contains the messages of the Go runtime if it gets no memory for the heap or for a thread. In programs with
// cgo, the C library fails to create a thread.
var outOfMemory = []string{
	"out of memory", "cannot allocate memory", "cannot map pages", "failed to reserve page summary memory",
	"failed to create new OS thread", "pthread_create failed",
}

// wait waits for the end of a child whose output ended, or kills it first, and returns the reason of its end.
func (p *process) wait(killFirst bool) *Error {
	if killFirst {
		p.kill()
	}
	p.reap()
	state := p.command.ProcessState
	status, _ := state.Sys().(syscall.WaitStatus)
	used := state.UserTime() + state.SystemTime()
	stderr := p.stderr.String()
	switch {
	case p.late.Load() || status.Exited() && status.ExitStatus() == exitTooSlow,
		status.Signaled() && used >= MaxTime-time.Second: // the kernel kills a process that exceeds its CPU time
		return &Error{Kind: KindTooSlow, Message: fmt.Sprintf("the time limit of %s was exceeded", MaxTime)}
	case slices.ContainsFunc(outOfMemory, func(text string) bool { return strings.Contains(stderr, text) }),
		!killFirst && status.Signaled() && status.Signal() == syscall.SIGKILL: // killed by the kernel because of its memory
		return &Error{Kind: KindOutOfMemory, Message: fmt.Sprintf("more than %d MiB of memory is required", MaxMemory>>20)}
	case killFirst:
		return &Error{Kind: KindCrashed, Message: "the output of the process is invalid"}
	}
	return &Error{Kind: KindCrashed, Message: fmt.Sprintf("the process ended without a result (%s)", state)}
}

// head keeps the beginning of the written bytes.
type head struct {
	mu   sync.Mutex
	most int
	kept []byte
}

// Write accepts all bytes, and keeps those that fit.
func (h *head) Write(content []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, content[:min(len(content), h.most-len(h.kept))]...)
	return len(content), nil
}

// String returns the kept bytes.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.kept)
}

// describe returns the state of the child and its standard error, for the log.
func (p *process) describe() []any {
	return []any{"state", p.command.ProcessState.String(), "stderr", p.stderr.String()}
}
