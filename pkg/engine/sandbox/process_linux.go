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

// self is this program, also when its file was replaced meanwhile.
const self = "/proc/self/exe"

// process is a child.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.ReadCloser
	stderr  *head
	// late is true if the child was killed because its time was up.
	late  atomic.Bool
	stops []func() bool

	mu sync.Mutex
	// dead is true from before its id may become another's.
	dead   bool
	reaped sync.Once
}

// start starts a child that is killed with its process group when the time is up, or ctx ends.
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

// kill ends the child and whatever is in its group.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	}
}

// end kills the child and removes it.
func (p *process) end() {
	p.kill()
	p.reap()
}

// reap waits for the end of the child and removes it. As long as it is not removed, no other process has its id.
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
		_ = p.command.Wait() // how it ended is in ProcessState
	})
}

// outOfMemory are what the Go runtime says when it gets no memory, for the heap or for a thread. In programs with cgo it is the
// C library that gets none for a thread.
var outOfMemory = []string{
	"out of memory", "cannot allocate memory", "cannot map pages", "failed to reserve page summary memory",
	"failed to create new OS thread", "pthread_create failed",
}

// wait waits for the end of a child whose output ended, or kills it first, and returns how it ended.
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
		status.Signaled() && used >= MaxTime-time.Second: // the kernel ends what used up its CPU time
		return &Error{Kind: KindTooSlow, Message: fmt.Sprintf("it did not end within %s", MaxTime)}
	case slices.ContainsFunc(outOfMemory, func(text string) bool { return strings.Contains(stderr, text) }),
		!killFirst && status.Signaled() && status.Signal() == syscall.SIGKILL: // by the kernel, for want of memory
		return &Error{Kind: KindOutOfMemory, Message: fmt.Sprintf("it needs more than %d MiB of memory", MaxMemory>>20)}
	case killFirst:
		return &Error{Kind: KindCrashed, Message: "its output is not as agreed"}
	}
	return &Error{Kind: KindCrashed, Message: fmt.Sprintf("the process ended without a result (%s)", state)}
}

// head keeps the beginning of what is written.
type head struct {
	mu   sync.Mutex
	most int
	kept []byte
}

// Write takes everything, and keeps what there is room for.
func (h *head) Write(content []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept = append(h.kept, content[:min(len(content), h.most-len(h.kept))]...)
	return len(content), nil
}

// String returns what was kept.
func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.kept)
}

// describe returns how the child ended and what it wrote to standard error, for the log.
func (p *process) describe() []any {
	return []any{"state", p.command.ProcessState.String(), "stderr", p.stderr.String()}
}
