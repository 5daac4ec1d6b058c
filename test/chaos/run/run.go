// SPDX-License-Identifier: Apache-2.0

// Package run performs one chaos run, from its setup to its verdict.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/faults"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/observe"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/workload"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Options configure a run.
type Options struct {
	Plan  plan.Options
	World world.Options
	// Settle is how long the installation may take to converge after the last fault.
	Settle time.Duration
}

// startLimit bounds the setup.
const startLimit = 4 * time.Minute

// foreign is the number of foreign Takaro domains.
const foreign = 4

// Run sets up a world, injects the faults of the plan, and returns the invariants that were
// violated. It returns an error if the run itself failed, so that it has no result.
func Run(ctx context.Context, options Options) (found []check.Violation, err error) {
	p := plan.New(options.Plan)
	if err := p.Print(options.World.Out, false); err != nil {
		return nil, err
	}
	starting, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	w, err := world.Start(starting, options.World)
	defer func() { err = errors.Join(err, w.Stop()) }()
	if err != nil {
		return nil, fmt.Errorf("set-up: %w", err)
	}
	r := &runner{Options: options, world: w, history: history.New(w.Begin)}
	if err := r.plant(); err != nil {
		return nil, err
	}
	w.Logf("all is set up")
	if err := r.work(ctx, p); err != nil {
		return r.violations(), err
	}
	r.judge(ctx)
	return r.violations(), r.save()
}

type runner struct {
	Options
	world    *world.World
	history  *history.History
	observer *observe.Observer
	workload *workload.Workload
	secrets  *observe.Secrets
	foreign  []takaro.Domain
	away     []check.Span

	mu    sync.Mutex
	found []check.Violation
}

// tell records a violation.
func (r *runner) tell(v check.Violation) {
	r.world.Logf("VIOLATION %s", v)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, v)
}

func (r *runner) tellAll(found []check.Violation) {
	for _, v := range found {
		r.tell(v)
	}
}

func (r *runner) violations() []check.Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// plant creates the foreign domains.
func (r *runner) plant() error {
	for n := range foreign {
		seed := takaro.Seed{
			Name: fmt.Sprintf("foreign-%d", n), ExternalReference: fmt.Sprintf("foreign-reference-%d", n), MaxGameServers: 3, MaxUsers: 3,
		}
		planted, err := r.world.Plant(seed, false)
		if err != nil {
			return err
		}
		r.foreign = append(r.foreign, planted)
	}
	return nil
}

// work runs the clients while faults are injected, and ends all faults.
func (r *runner) work(ctx context.Context, p plan.Plan) (err error) {
	w := r.world
	if r.observer, err = observe.Start(w.Dynamic, w.Outside, r.tell); err != nil {
		return err
	}
	if r.secrets, err = observe.StartSecrets(w.Client, w.WasLost, r.tell); err != nil {
		return err
	}
	r.workload = workload.New(w, r.history, r.foreign)
	r.workload.AddFailing(ctx)
	begin := time.Now()
	var working sync.WaitGroup
	working.Go(func() { r.workload.Run(ctx, begin, p) })
	r.away, err = faults.Run(ctx, w, begin, p.Faults)
	working.Wait()
	w.Logf("the workload has ended: %s", summary(r.history.Writes(), r.workload.Attempts()))
	r.tellAll(busy(w))
	w.Failing.ClearFaults()
	return errors.Join(err, ctx.Err())
}

// save writes the requests and their results for the analysis of a violation.
func (r *runner) save() error {
	return write(filepath.Join(r.World.Dir, "history.jsonl"), r.history.Print)
}

func write(path string, print func(out io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(print(file), file.Close())
}
