// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Session is one shell. Variables that a block sets are available to later blocks.
type Session struct {
	cmd      *exec.Cmd
	commands io.WriteCloser
	statuses *bufio.Reader
	results  io.Closer
	dir      string
	count    int
	ended    chan struct{}
}

// Result is the result of a text that a Session ran.
type Result struct {
	// Output is the combined standard output and standard error.
	Output string
	// Status is the exit status.
	Status int
	// Ended reports that the shell has ended, so that it runs nothing more.
	Ended bool
}

// NewSession starts bash in a directory, with only env in its environment. Stop it with Close.
func NewSession(dir string, env []string) (*Session, error) {
	keep, err := os.MkdirTemp("", "roadstead-docs-")
	if err != nil {
		return nil, err
	}
	s := &Session{dir: keep, cmd: exec.Command("bash", "--noprofile", "--norc"), ended: make(chan struct{})}
	s.cmd.Dir, s.cmd.Env = dir, env
	// A separate process group allows ending background processes of the page with the shell.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	results, report, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = report.Close() }()
	s.cmd.ExtraFiles, s.statuses, s.results = []*os.File{report}, bufio.NewReader(results), results
	if s.commands, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, results.Close(), os.RemoveAll(keep))
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait() // the result is in ProcessState
	}()
	return s, nil
}

// Script runs a script up to the first command that fails, which ends the session.
func (s *Session) Script(ctx context.Context, text string) (Result, error) {
	return s.run(ctx, text, "set -eo pipefail", "set +eo pipefail")
}

// Command runs one command.
func (s *Session) Command(ctx context.Context, text string) (Result, error) {
	return s.run(ctx, text, "set -o pipefail", "set +o pipefail")
}

// run sources a file, so that variables, functions and the working directory are kept. It returns
// the error of ctx if ctx is done first; the session has then been ended.
func (s *Session) run(ctx context.Context, text, before, after string) (Result, error) {
	s.count++
	file := filepath.Join(s.dir, strconv.Itoa(s.count))
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return Result{}, err
	}
	// Descriptor 3 receives the status. It is closed for the processes of the text, which may
	// outlive it.
	_, err := fmt.Fprintf(s.commands, "%s\nsource %s </dev/null >%s.out 2>&1 3>&-\necho $? >&3\n%s\n", before, file, file, after)
	if err != nil && !errors.Is(err, syscall.EPIPE) {
		return Result{}, err
	}
	status := make(chan string, 1)
	go func() {
		line, _ := s.statuses.ReadString('\n')
		status <- strings.TrimSpace(line)
	}()
	var result Result
	select {
	case line := <-status:
		if result.Status, err = strconv.Atoi(line); err != nil {
			<-s.ended
			result.Status, result.Ended = s.cmd.ProcessState.ExitCode(), true
		}
	case <-ctx.Done():
		err = ctx.Err()
		result.Ended = true
		_ = s.kill()
		<-status
	}
	printed, readErr := os.ReadFile(file + ".out")
	result.Output = string(printed)
	if ctx.Err() != nil {
		return result, err
	}
	return result, readErr
}

// kill ends the shell and its background processes.
func (s *Session) kill() error {
	if err := syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("ending the shell of a page: %w", err)
	}
	<-s.ended
	return nil
}

// Close ends the shell and everything that runs in it.
func (s *Session) Close() error {
	return errors.Join(s.kill(), s.results.Close(), os.RemoveAll(s.dir))
}
