// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopLimit is what a program gets between SIGTERM and SIGKILL. Nothing of value is in it: data is for
// tests and etcd does not sync it anyway.
const stopLimit = 8 * time.Second

// process is one run of a program.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and was reaped
	err  error         // how it ended; read after done
}

// startProcess runs program with its output appended to the file log.
func startProcess(program string, args []string, dir, log string, detached bool) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = out, out
	// Nothing of the user's own: no kubeconfig, no settings in a home folder, no proxy.
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	cmd.SysProcAttr = attributes(detached)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cluster: start %s: %w", program, err)
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
func (p *process) run(started chan<- error) {
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

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// stop asks it to end, insists after a limit, and returns when it has ended.
func (p *process) stop(limit time.Duration) error {
	if err := p.signal(syscall.SIGTERM); err != nil {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
		return p.kill()
	}
}

// kill ends it at once and returns when it has ended.
func (p *process) kill() error {
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// signal takes a process that has already ended as reached.
func (p *process) signal(signal syscall.Signal) error {
	err := p.cmd.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// tail gives the last lines of a log, for an error message.
func tail(log string, lines int) string {
	const most = 16 << 10
	file, err := os.Open(log)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err.Error()
	}
	text := make([]byte, min(info.Size(), most))
	if _, err := file.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		return err.Error()
	}
	split := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(split[max(0, len(split)-lines):], []byte("\n")))
}
