// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"context"
	"maps"
	"time"
)

// event is the frequency of one kind of event, in percent, and whether it is enabled.
type event struct {
	Frequency float64 `json:"frequency"`
	Enabled   bool    `json:"enabled"`
}

// simulationConfig is keyed by the names of eventNames, and nameChange.
type simulationConfig map[string]event

// simulation is the current state of the simulation.
type simulation struct {
	running bool
	config  simulationConfig
}

// intervals are the minimum and maximum time between two events of a kind.
var intervals = map[string][2]time.Duration{
	"chatMessage": {3 * time.Second, 60 * time.Second}, "playerMovement": {2 * time.Second, 20 * time.Second},
	"connection": {10 * time.Second, 30 * time.Second}, "death": {15 * time.Second, 120 * time.Second},
	"kill": {10 * time.Second, 90 * time.Second}, "itemInteraction": {5 * time.Second, 60 * time.Second},
}

// interval returns the time to the next event. A frequency of 0 is the slowest, not off.
func (e event) interval(kind string) time.Duration {
	between, known := intervals[kind]
	if !known {
		between = intervals["death"]
	}
	return between[0] + time.Duration(float64(between[1]-between[0])*(100-e.Frequency)/100)
}

// simulate creates the players, restores or starts the simulation two seconds later, and sends its
// events until ctx is done.
func (p *program) simulate(ctx context.Context) {
	if err := p.store.growPlayers(ctx, p.totalPlayers); err != nil {
		p.Logf("error: Error creating players: %v", err)
	}
	if !sleep(ctx, p.opts.scaled(2*time.Second)) {
		return
	}
	if err := p.restore(ctx); err != nil {
		p.Logf("error: Error restoring simulation: %v", err)
	}
	due := map[string]time.Time{}
	for {
		wait := p.sendDue(due)
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-p.stirs:
			clear(due)
		case <-t.C:
		}
		t.Stop()
	}
}

// restore uses the saved simulation, regardless of the environment. Without a saved one the
// environment applies, and an automatic start saves the simulation.
func (p *program) restore(ctx context.Context) error {
	state, config, err := p.store.load(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.sim = simulation{running: p.autoStart, config: maps.Clone(p.simulation)}
	maps.Copy(p.sim.config, config)
	if state != nil {
		p.sim.running = state.IsRunning
	}
	sim := simulation{p.sim.running, maps.Clone(p.sim.config)}
	p.mu.Unlock()
	if state != nil || !sim.running {
		return nil
	}
	return p.store.save(ctx, true, sim.config)
}

// sendDue sends the events that are due and returns the time to the next one.
func (p *program) sendDue(due map[string]time.Time) time.Duration {
	p.mu.Lock()
	running, config, l := p.sim.running, maps.Clone(p.sim.config), p.link
	p.mu.Unlock()
	next := time.Hour
	for kind, e := range config {
		if !running || !e.Enabled {
			continue
		}
		every := max(p.opts.scaled(e.interval(kind)), time.Millisecond)
		if at, planned := due[kind]; planned && time.Until(at) <= 0 {
			if l != nil {
				l.send("gameEvent", map[string]any{"type": kind, "data": map[string]string{"msg": "simulated"}}, "")
			}
			due[kind] = time.Now().Add(every)
		} else if !planned {
			due[kind] = time.Now().Add(every)
		}
		next = min(next, time.Until(due[kind]))
	}
	return next
}
