// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/framework/process"
)

const (
	// pollEvery is short compared with the time that a program takes to start.
	pollEvery = 25 * time.Millisecond
	// stopLimit is longer than either program needs to drain.
	stopLimit = 40 * time.Second
	// tailLines is the number of log lines that an error quotes.
	tailLines = 15
)

// Program is one program of the installation. It keeps its port, flags and data across Stop, Kill
// and Start, so that tests can inject faults.
type Program struct {
	name, address string
	run           process.Options
	// check returns nil when the program serves. answers returns nil when the program responds at
	// all, as the readiness probe of the pod checks.
	check, answers func(context.Context) error
	// restart restarts the program when it exits on its own.
	restart bool

	// starting is held by Start, Stop and Kill for their entire duration.
	starting sync.Mutex
	// stopRestarts stops the goroutine that restarts the program and waits for it. It is nil while
	// there is no such goroutine.
	stopRestarts func()

	mu      sync.Mutex
	process *process.Process
}

// Name returns the name of the program, with a number from the second instance on.
func (p *Program) Name() string { return p.name }

// Address returns the "host:port" on which the program serves.
func (p *Program) Address() string { return p.address }

// Log returns the path of the file with the output of all runs.
func (p *Program) Log() string { return p.run.Log }

// PID returns the process ID of the last run, or 0 before the first.
func (p *Program) PID() int {
	current := p.current()
	if current == nil {
		return 0
	}
	return current.PID()
}

// Running reports whether the process is running.
func (p *Program) Running() bool {
	current := p.current()
	return current != nil && current.Running()
}

// current returns the process of the last run, or nil before the first.
func (p *Program) current() *process.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process
}

// Start starts the program and returns when it serves. It does nothing when the program is already
// running. If the program exits before it serves, the error quotes the last lines of its log. With
// Options.Restart the program is restarted until ctx is done.
func (p *Program) Start(ctx context.Context) error { return p.StartWith(ctx) }

// StartWith is Start with additional arguments for this run only. They come last and override the
// others.
func (p *Program) StartWith(ctx context.Context, args ...string) error {
	return p.start(ctx, "serving", p.check, args...)
}

// StartRefusing starts roadstead-apiserver and returns when it has started according to the startup
// probe of its pod, whether it serves its store or refuses it.
func (p *Program) StartRefusing(ctx context.Context) error {
	return p.start(ctx, "answering", p.answers)
}

func (p *Program) start(ctx context.Context, what string, check func(context.Context) error, args ...string) error {
	p.starting.Lock()
	defer p.starting.Unlock()
	if p.Running() {
		return nil
	}
	p.endRestarts()
	run := p.run
	run.Args = append(slices.Clone(run.Args), args...)
	started, err := process.Start(run)
	if err != nil {
		return fmt.Errorf("local: %w", err)
	}
	p.mu.Lock()
	p.process = started
	p.mu.Unlock()
	if p.restart {
		p.beginRestarts(run)
	}
	return p.await(ctx, started, what, check)
}

// Stop sends SIGTERM and returns when the program has exited. It returns an error if the program
// does not exit within 40 seconds or exits with a status other than 0. The program has exited in
// these cases, too.
func (p *Program) Stop() error {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.endRestarts()
	if !p.Running() {
		return nil
	}
	current := p.current()
	if err := current.Stop(stopLimit); err != nil {
		return fmt.Errorf("local: end %s (pid %d): %w", p.name, current.PID(), err)
	}
	if err := current.Err(); err != nil {
		return fmt.Errorf("local: %s did not end well (%w); its log ends with:\n%s", p.name, err, process.Tail(p.run.Log, tailLines))
	}
	return nil
}

// Kill sends SIGKILL and returns when the program has exited.
func (p *Program) Kill() error {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.endRestarts()
	current := p.current()
	if current == nil {
		return nil
	}
	if err := current.Kill(); err != nil {
		return fmt.Errorf("local: kill %s (pid %d): %w", p.name, current.PID(), err)
	}
	return nil
}

// await polls check until it returns nil, the process exits and is not restarted, or ctx is done.
func (p *Program) await(ctx context.Context, run *process.Process, what string, check func(context.Context) error) error {
	ended := run.Done()
	if p.restart {
		ended = nil
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("local: %s ended before it was %s (%s); %s ends with:\n%s", p.name, what, ending(run), p.run.Log,
				process.Tail(p.run.Log, tailLines))
		case <-ctx.Done():
			return fmt.Errorf("local: %s is not %s (%w): %w; %s ends with:\n%s", p.name, what, ctx.Err(), last, p.run.Log,
				process.Tail(p.run.Log, tailLines))
		case <-ticker.C:
		}
	}
}

// ending describes how a process exited.
func ending(run *process.Process) string {
	if err := run.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}
