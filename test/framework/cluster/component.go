// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"roadstead.dev/roadstead/test/framework/process"
)

// Names of the components, which are also the names of their programs.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// Offsets in the block of ports.
const (
	portEtcd = iota
	portEtcdPeer
	portAPIServer
	portControllerManager
	portScheduler
	portKwok
	// portSpare is the first port for other programs, see ReservePort.
	portSpare
)

// stopLimit is the time between SIGTERM and SIGKILL. A kill loses nothing of value: the data is for
// tests, and etcd does not sync it to disk.
const stopLimit = 8 * time.Second

// pollEvery is short compared with the time that any program takes to start.
const pollEvery = 25 * time.Millisecond

// errPortTaken means that another process bound a port between the reservation and the start.
var errPortTaken = errors.New("a reserved port was taken by someone else")

// Component is one program of a cluster. It keeps its port, flags and data across Stop, Kill and
// Start, so that tests can inject faults.
type Component struct {
	name    string
	program string
	args    []string
	dir     string
	address string
	options *Options
	// check returns nil when the program serves.
	check func(context.Context) error

	mu      sync.Mutex
	process *process.Process
}

// Name returns one of the component names of this package.
func (c *Component) Name() string { return c.name }

// Address returns the "host:port" on which the component serves.
func (c *Component) Address() string { return c.address }

// Log returns the path of the file with the output of all runs of the component.
func (c *Component) Log() string { return filepath.Join(c.dir, "logs", c.name+".log") }

// Running reports whether the process of the component is running.
func (c *Component) Running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.process != nil && c.process.Running()
}

// PID returns the process ID, or 0 when the component is not running.
func (c *Component) PID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil || !c.process.Running() {
		return 0
	}
	return c.process.PID()
}

// Start starts the component and returns when it serves. It does nothing when the component is
// already running. If the program exits before it serves, the error quotes the last lines of its
// log.
func (c *Component) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start(ctx)
}

// start is Start for a caller that holds the mutex.
func (c *Component) start(ctx context.Context) error {
	if c.process != nil && c.process.Running() {
		return nil
	}
	begin := time.Now()
	p, err := process.Start(process.Options{Program: c.program, Args: c.args, Dir: c.dir, Log: c.Log(), Detached: c.options.Detached})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	c.process = p
	c.options.OnStart(Process{Name: c.name, PID: p.PID(), Log: c.Log(), Address: c.address})
	if err := c.await(ctx, p, c.check); err != nil {
		return err
	}
	c.options.Logf("%s serves on %s after %d ms", c.name, c.address, time.Since(begin).Milliseconds())
	return nil
}

// Stop sends SIGTERM, then SIGKILL after stopLimit, and returns when the program has exited.
func (c *Component) Stop() error {
	return c.end(func(p *process.Process) error { return p.Stop(stopLimit) })
}

// Kill sends SIGKILL and returns when the program has exited.
func (c *Component) Kill() error { return c.end((*process.Process).Kill) }

func (c *Component) end(how func(*process.Process) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.endBy(how)
}

// endBy is end for a caller that holds the mutex.
func (c *Component) endBy(how func(*process.Process) error) error {
	if c.process == nil {
		return nil
	}
	if err := how(c.process); err != nil {
		return fmt.Errorf("cluster: end %s (pid %d): %w", c.name, c.process.PID(), err)
	}
	c.process = nil
	return nil
}

// whileKilled kills the component, calls do and starts the component again. It holds the mutex, so
// no other call can start the component in between.
func (c *Component) whileKilled(ctx context.Context, do func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.endBy((*process.Process).Kill); err != nil {
		return err
	}
	return errors.Join(do(), c.start(ctx))
}

// await polls check until it returns nil, the process exits, or ctx is done.
func (c *Component) await(ctx context.Context, p *process.Process, check func(context.Context) error) error {
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		select {
		case <-p.Done():
			return c.died(p)
		case <-ctx.Done():
			return fmt.Errorf("cluster: %s is not ready (%w): %w; %s.log ends with:\n%s", c.name, ctx.Err(), last, c.name, process.Tail(c.Log(), 15))
		case <-ticker.C:
		}
	}
}

func (c *Component) died(p *process.Process) error {
	end := process.Tail(c.Log(), 15)
	err := fmt.Errorf("cluster: %s ended while it was starting (%s); %s.log ends with:\n%s", c.name, fmt.Sprint(p.Err()), c.name, end)
	if strings.Contains(end, "address already in use") {
		return errors.Join(errPortTaken, err)
	}
	return err
}
