// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// state is what "up" stores for "down". It is written after each start of a process, so that "down"
// knows every process even if "up" is killed.
type state struct {
	// Ready reports whether "up" completed.
	Ready bool `json:"ready"`
	// Kubeconfig and Kubectl are paths.
	Kubeconfig string `json:"kubeconfig"`
	Kubectl    string `json:"kubectl"`
	// Processes are in the order of their start.
	Processes []runningProcess `json:"processes"`
}

type runningProcess struct {
	identity
	Name    string `json:"name"`
	Address string `json:"address"`
	Log     string `json:"log"`
}

func statePath(dir string) string { return filepath.Join(dir, "state.json") }

// loadState returns nil when nothing was started in dir.
func loadState(dir string) (*state, error) {
	text, err := os.ReadFile(statePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s is not readable (%w): end the processes by hand, then remove it", statePath(dir), err)
	}
	return &s, nil
}

// save replaces the state file atomically.
func (s *state) save(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(statePath(dir)+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(statePath(dir)+".new", statePath(dir))
}

// split separates the running processes from those that have exited.
func (s *state) split() (alive, gone []runningProcess, err error) {
	for _, p := range s.Processes {
		lives, err := p.alive()
		if err != nil {
			return nil, nil, err
		}
		if lives {
			alive = append(alive, p)
		} else {
			gone = append(gone, p)
		}
	}
	return alive, gone, nil
}

// lock prevents two commands from using one directory concurrently; it blocks until the lock is
// acquired. The lock is released by the returned function or at the exit of the process.
func lock(dir string) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
	}
	return func() { _ = file.Close() }, nil
}
