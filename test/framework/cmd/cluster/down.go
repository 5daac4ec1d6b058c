// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/test/framework/cluster"
)

const (
	// stopLimit is the time between SIGTERM and SIGKILL.
	stopLimit = 8 * time.Second
	// pollEvery is short because a process that is not a child of this one must be polled for its
	// exit.
	pollEvery = 20 * time.Millisecond
)

// order is the order in which the processes are stopped: clients before servers, the programs of
// one step concurrently.
var order = [][]string{{cluster.Kwok, cluster.Scheduler, cluster.ControllerManager}, {cluster.APIServer}, {cluster.Etcd}}

func runDown(ctx context.Context, out io.Writer, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(statePath(dir)); errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(out, "No cluster runs in %s.\n", dir)
		return err
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := loadState(dir)
	if err != nil || s == nil {
		return err
	}
	for _, step := range order {
		if err := s.end(ctx, step); err != nil {
			return err
		}
	}
	// Only the logs are useful without the cluster.
	for _, name := range []string{"data", "certs", "kubeconfig"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := removeIfThere(statePath(dir)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The cluster in %s has ended. Its logs are in %s.\n", dir, filepath.Join(dir, "logs"))
	return err
}

// end stops the processes with the given names concurrently.
func (s *state) end(ctx context.Context, names []string) error {
	var group errgroup.Group
	for _, p := range s.Processes {
		if slices.Contains(names, p.Name) {
			group.Go(func() error {
				if err := p.end(ctx, stopLimit); err != nil {
					return fmt.Errorf("end %s (pid %d): %w", p.Name, p.PID, err)
				}
				return nil
			})
		}
	}
	return group.Wait()
}

// end sends SIGTERM, then SIGKILL after limit, and returns when the process has exited.
func (i identity) end(ctx context.Context, limit time.Duration) error {
	if err := i.signal(syscall.SIGTERM); err != nil {
		return err
	}
	insist := time.After(limit)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		if alive, err := i.alive(); err != nil || !alive {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-insist:
			if err := i.signal(syscall.SIGKILL); err != nil {
				return err
			}
		case <-ticker.C:
		}
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
