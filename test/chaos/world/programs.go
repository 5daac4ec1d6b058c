// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"roadstead.dev/roadstead/test/framework/install"
	"roadstead.dev/roadstead/test/framework/process"
)

// Kept is one of Roadstead's programs. It is restarted when it ends, as by a kubelet.
type Kept struct {
	*install.Program
	// held prevents restarts. The program is no longer used once the second field is set.
	held atomic.Bool
	gone atomic.Bool
}

// Kill ends the program immediately, and prevents restarts until Release.
func (k *Kept) Kill() error {
	k.held.Store(true)
	return k.Program.Kill()
}

// Release allows restarts again.
func (k *Kept) Release() { k.held.Store(false) }

// AddServer starts an additional API server.
func (w *World) AddServer(ctx context.Context) error {
	args, err := w.storeArgs(len(w.Roadstead.APIServers()))
	if err != nil {
		return err
	}
	p, err := w.Roadstead.AddAPIServer(ctx, args...)
	if p != nil {
		w.keep(&w.servers, p)
	}
	return err
}

// AddController starts an additional controller.
func (w *World) AddController(ctx context.Context) error {
	p, err := w.Roadstead.AddController(ctx)
	if p != nil {
		w.keep(&w.controllers, p)
	}
	return err
}

func (w *World) keep(all *[]*Kept, p *install.Program) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*all = append(*all, &Kept{Program: p})
}

// Servers returns the API servers that should run.
func (w *World) Servers() []*Kept {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.servers)
}

// Controllers returns the controllers that should run.
func (w *World) Controllers() []*Kept {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.controllers)
}

// Remove ends a program permanently, as the last step of an upgrade does.
func (w *World) Remove(k *Kept) error {
	k.gone.Store(true)
	w.mu.Lock()
	same := func(other *Kept) bool { return other == k }
	w.servers, w.controllers = slices.DeleteFunc(w.servers, same), slices.DeleteFunc(w.controllers, same)
	w.mu.Unlock()
	if err := k.Stop(); err != nil {
		return err
	}
	return w.retire(k.Name())
}

const (
	// restartEvery is the interval at which programs are checked.
	restartEvery = 500 * time.Millisecond
	// startPatience is how long the start of one program may delay that of others. It continues
	// afterwards.
	startPatience = 5 * time.Second
)

// keepRunning restarts programs that have ended, until the world stops.
func (w *World) keepRunning() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(restartEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				w.sample()
				w.restart(ctx)
			}
		}
	})
	w.end(func() error { cancel(); running.Wait(); return nil })
}

// restart restarts the programs that have ended.
func (w *World) restart(ctx context.Context) {
	var starting sync.WaitGroup
	for _, k := range append(w.Servers(), w.Controllers()...) {
		if k.held.Load() || k.gone.Load() || k.Running() {
			continue
		}
		starting.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, startPatience)
			defer cancel()
			if err := k.Start(ctx); err != nil && ctx.Err() == nil {
				w.Logf("%s ended while it was starting; it is started again", k.Name())
				return
			}
			w.Logf("%s was started again", k.Name())
		})
	}
	starting.Wait()
}

// Leading starts a controller without leader election. The returned function stops it.
func (w *World) Leading() (stop func() error, err error) {
	dir := filepath.Join(w.Dir, "roadstead")
	program, err := filepath.Abs(filepath.Join(w.BinDir, install.Controller))
	if err != nil {
		return nil, err
	}
	args := append([]string{"--kubeconfig=" + filepath.Join(dir, "roadstead-controller.kubeconfig"), "--namespace=" + install.Namespace,
		"--allow-loopback", "--metrics-bind-address=", "--leader-elect=false"}, ControllerArgs...)
	p, err := process.Start(process.Options{Program: program, Args: args, Dir: dir, Log: filepath.Join(dir, "second-leader.log")})
	if err != nil {
		return nil, err
	}
	return func() error { return p.Stop(stopLimit) }, nil
}

// stopLimit is the time between SIGTERM and SIGKILL.
const stopLimit = 20 * time.Second
