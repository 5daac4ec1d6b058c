// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Options configure Start.
type Options struct {
	// Program is the path of the executable.
	Program string
	// Args are its arguments, without its name.
	Args []string
	// Dir is the working directory and the home directory of the program.
	Dir string
	// Log is the file to which standard output and standard error are appended.
	Log string
	// Env are variables ("NAME=value") in addition to HOME, PATH and TMPDIR. The last value of a
	// name takes precedence.
	Env []string
	// Detached lets the program outlive this process. By default it is killed when this process
	// exits, even when this process is killed.
	Detached bool
}

// Process is one run of a program.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when the program has exited and was reaped
	err  error         // exit error; read after done is closed
}

// Start starts a program and returns when the start has succeeded or failed.
func Start(options Options) (*Process, error) {
	out, err := os.OpenFile(options.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(options.Program, options.Args...)
	cmd.Dir = options.Dir
	cmd.Stdout, cmd.Stderr = out, out
	// The environment contains nothing of the calling user: no kubeconfig, no settings in a home
	// directory, no proxy.
	cmd.Env = append([]string{"HOME=" + options.Dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, options.Env...)
	cmd.SysProcAttr = attributes(options.Detached)
	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", options.Program, err)
	}
	return p, nil
}

// attributes puts the program in a separate process group, or in a new session if detached, so that
// ^C in the terminal reaches only this process, which then stops the programs in order. Unless
// detached, the kernel kills the program when its parent exits.
func attributes(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// run starts the program and waits for its exit on one thread. The kernel sends Pdeathsig when the
// thread that created the child exits, not when the process exits, so that thread must live as long
// as the child.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID returns the process ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the program has exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err waits for the exit of the program and returns its error, or nil for exit status 0.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Running reports whether the program is running.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Stop sends SIGTERM, then SIGKILL after limit, and returns when the program has exited. It does
// nothing if the program has already exited.
func (p *Process) Stop(limit time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
		return p.Kill()
	}
}

// Kill kills the program and returns when it has exited.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// signal sends a signal. It is not an error if the process has already exited.
func (p *Process) signal(signal syscall.Signal) error {
	err := p.cmd.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
