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

// identity identifies one process permanently. Kernels reuse process IDs, but not in combination
// with the start time and the boot ID.
type identity struct {
	// PID is the process ID.
	PID int `json:"pid"`
	// StartTicks is the start time in clock ticks since boot (field 22 of /proc/<pid>/stat, see
	// proc_pid_stat(5)).
	StartTicks uint64 `json:"startTicks"`
	// BootID is the random ID of this boot of the machine (/proc/sys/kernel/random/boot_id).
	BootID string `json:"bootID"`
}

// errNoProcess means that no running process has the ID.
var errNoProcess = errors.New("no such process")

// identify returns the identity of the running process with the given ID.
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

// startTicks parses a line of /proc/<pid>/stat. It returns errNoProcess for a process that has
// exited and is not reaped yet.
func startTicks(stat string) (uint64, error) {
	// The second field is the program name in parentheses, which may contain spaces and
	// parentheses.
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

// alive reports whether exactly this process is still running.
func (i identity) alive() (bool, error) {
	now, err := identify(i.PID)
	if errors.Is(err, errNoProcess) {
		return false, nil
	}
	return err == nil && now == i, err
}

// signal sends a signal to exactly this process. It does nothing when the process has exited.
func (i identity) signal(signal syscall.Signal) error {
	// The handle is bound to the process that has the ID now, so the check and the signal apply to
	// the same process.
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
