// SPDX-License-Identifier: Apache-2.0

// Package workload implements the clients of a run. Each of them writes in a separate namespace,
// one request after the other, and records the results.
package workload

import (
	"context"
	"fmt"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/chaos/check"
	"roadstead.dev/roadstead/test/chaos/history"
	"roadstead.dev/roadstead/test/chaos/plan"
	"roadstead.dev/roadstead/test/chaos/world"
	"roadstead.dev/roadstead/test/fakes/takaro"
)

// Workload is all clients of a run.
type Workload struct {
	world   *world.World
	history *history.History
	foreign []takaro.Domain

	changing sync.WaitGroup
	mu       sync.Mutex
	attempts []check.Attempt
	kept     map[string]bool
}

// New returns the workload. The foreign domains are those that some Domains will claim without
// success.
func New(w *world.World, h *history.History, foreign []takaro.Domain) *Workload {
	return &Workload{world: w, history: h, foreign: foreign}
}

// Run lets the clients perform the operations of the plan and returns when all have ended.
func (l *Workload) Run(ctx context.Context, begin time.Time, p plan.Plan) {
	var clients sync.WaitGroup
	for n, operations := range p.Operations {
		clients.Go(func() {
			c := &client{Workload: l, number: n}
			c.nextNamespace(ctx)
			for _, one := range operations {
				if !wait(ctx, time.Until(begin.Add(one.At))) {
					return
				}
				c.do(ctx, one)
			}
		})
	}
	clients.Wait()
	l.changing.Wait()
}

// Attempts returns the changes of CRDs so far.
func (l *Workload) Attempts() []check.Attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]check.Attempt(nil), l.attempts...)
}

// AddFailing creates a Domain in the Takaro that fails.
func (l *Workload) AddFailing(ctx context.Context) {
	c := &client{Workload: l, number: len("failing"), takaroURL: l.world.FailingURL, prefix: "chaos-failing"}
	c.nextNamespace(ctx)
	c.create(ctx, check.Domain, "", form{})
}

// wait waits for d and returns false if the run has ended.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// do carries out one operation.
func (c *client) do(ctx context.Context, one plan.Operation) {
	pick := int(one.Pick)
	switch one.Do {
	case plan.CreateDomain:
		if c.count(check.Domain) < mostDomains {
			c.createDomain(ctx, pick)
		}
	case plan.CreateUser:
		c.createIn(ctx, check.User, mostUsers, pick)
	case plan.CreateMockServer:
		c.createIn(ctx, check.MockServer, mostMockServers, pick)
	case plan.Patch:
		c.change(ctx, pick, mergePatch)
	case plan.Apply:
		c.change(ctx, pick, applyPatch)
	case plan.Delete:
		c.delete(ctx, pick)
	case plan.DeleteNamespace:
		c.deleteNamespace(ctx)
		c.nextNamespace(ctx)
	case plan.ClaimForeign:
		c.claim(ctx, pick)
	case plan.ChangeCRD:
		c.crds++
		name := fmt.Sprintf("c%dx%d", c.number, c.crds)
		c.changing.Go(func() { c.changeCRD(ctx, name, pick%2 == 0) })
	}
}

// Limits per namespace, chosen for a machine with two cores.
const (
	mostDomains     = 4
	mostUsers       = 8
	mostMockServers = 2
)
