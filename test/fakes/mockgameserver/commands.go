// SPDX-License-Identifier: Apache-2.0

package mockgameserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// spokenNames maps the names of events in console commands to event types. Note the plural items.
var spokenNames = map[string]string{"chat": "chatMessage", "movement": "playerMovement", "connection": "connection",
	"death": "death", "kill": "kill", "items": "itemInteraction", "name": "nameChange"}

// command runs one console command. Commands that change the simulation save it.
func (p *program) command(ctx context.Context, line string) (result string, success bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return unknownCommand, false
	}
	switch name, args := words[0], words[1:]; name {
	case "version":
		return "Mock game server v0.0.1", true
	case "say":
		return "Sent message: " + strings.Join(args, " "), true
	case "startSimulation":
		return p.alter(ctx, "Simulation started", func(s *simulation) { s.running = true })
	case "stopSimulation":
		return p.alter(ctx, "Simulation stopped", func(s *simulation) { s.running = false })
	case "simulationStatus", "simulationDebug", "getSimulationFrequency":
		return p.status()
	case "setSimulationFrequency":
		return p.setFrequency(ctx, "", args)
	case "setSimulationEventFrequency":
		if len(args) != 2 || spokenNames[args[0]] == "" {
			return "Usage: setSimulationEventFrequency <chat|movement|connection|death|kill|items|name> <0-100>", false
		}
		return p.setFrequency(ctx, spokenNames[args[0]], args[1:])
	case "connectAll", "disconnectAll":
		n, err := p.store.setOnline(ctx, name == "connectAll")
		if err != nil {
			return err.Error(), false
		}
		return fmt.Sprintf("%s: %d players", name, n), true
	}
	return unknownCommand, false
}

const unknownCommand = "Unknown command (Command not implemented in mock game server)"

func (p *program) status() (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, err := json.Marshal(map[string]any{"isRunning": p.sim.running, "config": p.sim.config})
	return string(out), err == nil
}

// setFrequency sets the frequency of one event or of all events.
func (p *program) setFrequency(ctx context.Context, kind string, args []string) (string, bool) {
	if len(args) != 1 {
		return "Usage: setSimulationFrequency <0-100>", false
	}
	n := parseFloat(args[0])
	if !(n >= 0 && n <= 100) {
		return "Invalid frequency. Must be between 0 and 100.", false
	}
	return p.alter(ctx, "Frequency set to "+args[0], func(s *simulation) {
		for k, e := range s.config {
			if kind == "" || k == kind {
				e.Frequency = n
				s.config[k] = e
			}
		}
	})
}

// alter changes the simulation, saves it and restarts it.
func (p *program) alter(ctx context.Context, done string, change func(*simulation)) (string, bool) {
	p.mu.Lock()
	if p.sim.config == nil { // before the first start
		p.sim.config = maps.Clone(p.simulation)
	}
	change(&p.sim)
	running, config := p.sim.running, maps.Clone(p.sim.config)
	p.mu.Unlock()
	select {
	case p.stirs <- struct{}{}:
	default: // a restart is already due
	}
	if err := p.store.save(ctx, running, config); err != nil {
		return err.Error(), false
	}
	return done, true
}
