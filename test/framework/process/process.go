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

// Options say what Start runs.
type Options struct {
	// Program is the path of the executable.
	Program string
	// Args are its arguments, without its name.
	Args []string
	// Dir is its working folder and its home.
	Dir string
	// Log is the file that its standard output and error are appended to.
	Log string
	// Env are more variables ("NAME=value") beside HOME, PATH and TMPDIR; the last of one name counts.
	Env []string
	// Detached lets it outlive this process. By default it dies with it, even when that is killed.
	Detached bool
}

// Process is one run of a program.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and was reaped
	err  error         // how it ended; read after done
}

// Start runs a program and returns when it was started; it fails when that is not possible.
func Start(options Options) (*Process, error) {
	out, err := os.OpenFile(options.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(options.Program, options.Args...)
	cmd.Dir = options.Dir
	cmd.Stdout, cmd.Stderr = out, out
	// Nothing of the user's own: no kubeconfig, no settings in a home folder, no proxy.
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

// attributes put the program in a process group of its own, so that a ^C at the terminal reaches only
// this process, which then ends the programs in order.
func attributes(detached bool) *syscall.SysProcAttr {
	if detached {
		return &syscall.SysProcAttr{Setsid: true}
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// run starts the program and waits for its end on one thread: the kernel sends Pdeathsig when the thread
// that made the child ends, not the whole process, so that thread must live as long as the child.
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

// PID is the operating system's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err tells how the program ended: nil for exit status 0. It waits for the end.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Running tells whether the program lives.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Stop asks the program to end (SIGTERM), insists after a limit (SIGKILL), and returns when it has ended. It does nothing
// when that has happened already.
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

// Kill ends the program at once and returns when it has ended.
func (p *Process) Kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// signal takes a process that has already ended as reached.
func (p *Process) signal(signal syscall.Signal) error {
	err := p.cmd.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
