// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// identity names one process for good: kernels reuse process ids, but not together with the time of start
// and the boot.
type identity struct {
	// PID is the process id.
	PID int `json:"pid"`
	// StartTicks is the time of start in clock ticks since boot (field 22 of /proc/<pid>/stat, see
	// proc_pid_stat(5)).
	StartTicks uint64 `json:"startTicks"`
	// BootID is a random id of this boot of the machine (/proc/sys/kernel/random/boot_id).
	BootID string `json:"bootID"`
}

// errNoProcess means that no live process has that id.
var errNoProcess = errors.New("no such process")

// identify gives the identity of the live process that has an id now.
func identify(pid int) (identity, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return identity{}, errNoProcess
	}
	if err != nil {
		return identity{}, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return identity{}, err
	}
	ticks, err := startTicks(string(stat))
	return identity{PID: pid, StartTicks: ticks, BootID: strings.TrimSpace(string(boot))}, err
}

// startTicks reads a line of /proc/<pid>/stat. A process that has ended but was not reaped by its parent
// counts as gone.
func startTicks(stat string) (uint64, error) {
	// The second field is the program's name in parentheses, and may hold spaces and parentheses.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const state, start = 0, 19
	if len(fields) <= start {
		return 0, fmt.Errorf("a stat line of the kernel has only %d fields after the name", len(fields))
	}
	if fields[state] == "Z" || fields[state] == "X" {
		return 0, errNoProcess
	}
	return strconv.ParseUint(fields[start], 10, 64)
}

// alive tells whether exactly this process still lives.
func (i identity) alive() (bool, error) {
	now, err := identify(i.PID)
	if errors.Is(err, errNoProcess) {
		return false, nil
	}
	return err == nil && now == i, err
}

// signal sends a signal to exactly this process, and does nothing when it is gone.
func (i identity) signal(signal syscall.Signal) error {
	// The handle is bound to the process that has the id now, so the check and the signal are about
	// the same one.
	process, err := os.FindProcess(i.PID)
	if err != nil {
		return err
	}
	defer func() { _ = process.Release() }()
	alive, err := i.alive()
	if err != nil || !alive {
		return err
	}
	if err := process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
