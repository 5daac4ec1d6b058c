// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machineFacts returns the properties of this machine. The disk is that of the directory dir.
func machineFacts(dir string) (Machine, error) {
	facts := Machine{CPU: cpuModel(), Cores: runtime.NumCPU(), Go: runtime.Version()}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return facts, err
	}
	facts.Kernel = unix.ByteSliceToString(name.Release[:])
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return facts, err
	}
	facts.MemoryGiB = float64(info.Totalram*uint64(info.Unit)>>20) / 1024
	var err error
	facts.SyncMillis, err = syncTime(dir)
	return facts, err
}

// cpuModel returns the name of the CPU from the kernel, or the architecture if the kernel has none.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// syncTime returns the median duration of a write of 4 KiB with fsync, in milliseconds. It is a
// lower bound for every write to a store.
func syncTime(dir string) (float64, error) {
	const tries = 50
	file, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	defer func() { _ = file.Close() }()
	var times []float64
	for range tries {
		begin := time.Now()
		if _, err := file.Write(make([]byte, 4096)); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		times = append(times, milliseconds(time.Since(begin)))
	}
	return median(times), nil
}
