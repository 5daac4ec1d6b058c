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
	// pollEvery is short against the time that a program takes to come up.
	pollEvery = 25 * time.Millisecond
	// stopLimit is above what either program needs to drain.
	stopLimit = 40 * time.Second
	// tailLines is how much of a log an error quotes.
	tailLines = 15
)

// Program is one of the installation's programs. It keeps its port, flags and data over Stop, Kill and Start, so that
// tests can inject faults.
type Program struct {
	name, address string
	run           process.Options
	// check gives nil when the program serves. Answers gives nil when it answers at all, as the pod's readiness probe asks.
	check, answers func(context.Context) error
	// restart starts it again when it ends by itself.
	restart bool

	// starting is held by Start, Stop and Kill, each until it is done.
	starting sync.Mutex
	// stopRestarts ends the goroutine that restarts it, and waits for that. It is nil while there is none.
	stopRestarts func()

	mu      sync.Mutex
	process *process.Process
}

// Name is that of the program, with a number from the second instance on.
func (p *Program) Name() string { return p.name }

// Address is the "host:port" on which it serves.
func (p *Program) Address() string { return p.address }

// Log is the path of the file that takes its output, over all its runs.
func (p *Program) Log() string { return p.run.Log }

// PID is the process id of its last run, 0 before the first.
func (p *Program) PID() int {
	current := p.current()
	if current == nil {
		return 0
	}
	return current.PID()
}

// Running reports whether its process lives.
func (p *Program) Running() bool {
	current := p.current()
	return current != nil && current.Running()
}

// current is the process of its last run, nil before the first.
func (p *Program) current() *process.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.process
}

// Start starts it and returns when it serves; it does nothing when it runs. The error of a program that ends instead
// quotes the last lines of its log; with Options.Restart it is started again until ctx ends.
func (p *Program) Start(ctx context.Context) error { return p.StartWith(ctx) }

// StartWith is Start with more arguments, for this run only. They come last, so they win.
func (p *Program) StartWith(ctx context.Context, args ...string) error {
	return p.start(ctx, "serving", p.check, args...)
}

// StartRefusing starts roadstead-apiserver and returns when it has started, as the startup probe of its pod finds out,
// whether it serves its store or refuses it.
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

// Stop ends it with SIGTERM and returns when it has ended. A program that does not end by itself within 40 seconds, or
// with another exit status than 0, is an error; it has ended then too.
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

// Kill ends it with SIGKILL and returns when it has ended.
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

// await polls check until it gives nil, the process ends for good, or ctx does.
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

// ending says how a process ended.
func ending(run *process.Process) string {
	if err := run.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}
