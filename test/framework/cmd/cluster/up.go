// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"

	"roadstead.dev/roadstead/test/framework/cluster"
)

type upOptions struct {
	dir     string
	minimal bool
	tools   string
}

func runUp(ctx context.Context, out io.Writer, options upOptions) error {
	dir, err := filepath.Abs(options.dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	before, err := loadState(dir)
	if err != nil {
		return err
	}
	if before != nil {
		alive, gone, err := before.split()
		switch {
		case err != nil:
			return err
		case before.Ready && len(gone) == 0:
			_, _ = fmt.Fprintf(out, "A cluster already runs in %s.\n\n", dir)
			return before.print(out)
		case len(alive) > 0:
			return fmt.Errorf("a part of the cluster in %s still runs%s: run \"down\", then \"up\" again", dir, missing(gone))
		}
	}
	return start(ctx, out, dir, options)
}

// missing describes which processes have exited and where their logs are.
func missing(gone []runningProcess) string {
	text := ""
	for _, p := range gone {
		text += fmt.Sprintf("; %s has ended (log: %s)", p.Name, p.Log)
	}
	return text
}

func start(ctx context.Context, out io.Writer, dir string, options upOptions) error {
	begin := time.Now()
	recorder := &recorder{dir: dir}
	c, err := cluster.Start(ctx, cluster.Options{
		Dir: dir, Minimal: options.minimal, ToolsDir: options.tools, Detached: true,
		OnStart: recorder.started,
		Logf:    func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) },
	})
	if err != nil {
		return errors.Join(err, recorder.forget())
	}
	recorder.state.Kubeconfig, recorder.state.Kubectl = c.Kubeconfig(), c.KubectlPath()
	if err := recorder.finish(); err != nil {
		return errors.Join(err, c.Stop(), recorder.forget())
	}
	_, _ = fmt.Fprintf(out, "\nReady after %.1f s.\n\n", time.Since(begin).Seconds())
	return recorder.state.print(out)
}

// recorder keeps the state file up to date while processes start, some of them concurrently.
type recorder struct {
	dir   string
	mu    sync.Mutex
	state state
	err   error
}

func (r *recorder) started(p cluster.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id, err := identify(p.PID)
	if errors.Is(err, errNoProcess) {
		return // the process has already exited; Start reports that
	}
	if err == nil {
		r.state.Processes = append(r.state.Processes, runningProcess{identity: id, Name: p.Name, Address: p.Address, Log: p.Log})
		err = r.state.save(r.dir)
	}
	r.err = errors.Join(r.err, err)
}

func (r *recorder) finish() error {
	r.state.Ready = true
	return errors.Join(r.err, r.state.save(r.dir))
}

func (r *recorder) forget() error {
	return removeIfThere(statePath(r.dir))
}

func (s *state) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "PROGRAM\tPID\tADDRESS\tLOG")
	for _, p := range s.Processes {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", p.Name, p.PID, p.Address, p.Log)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nUse it:\n  export KUBECONFIG=%s\n  %s get nodes\n", s.Kubeconfig, s.Kubectl)
	return err
}
