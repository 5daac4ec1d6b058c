// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// clockTicks is USER_HZ, the unit of CPU time in /proc: 100 on every architecture that Go supports.
const clockTicks = 100

// cpuTime returns the CPU time that a process has used, of all its threads including ended ones.
func cpuTime(pid int) (time.Duration, error) {
	fields, err := statFields(pid)
	if err != nil {
		return 0, err
	}
	// In proc(5), utime and stime are the 14th and 15th field. The list begins with the third.
	var ticks int64
	for _, field := range fields[11:13] {
		count, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
		}
		ticks += count
	}
	return time.Duration(ticks) * time.Second / clockTicks, nil
}

// residentBytes returns the resident memory of a process.
func residentBytes(pid int) (float64, error) {
	fields, err := statFields(pid)
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(fields[21]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	return float64(pages) * float64(os.Getpagesize()), nil
}

// statFields returns the fields of /proc/<pid>/stat from the third on. The second may contain any
// character.
func statFields(pid int) ([][]byte, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 22 {
		return nil, fmt.Errorf("%s has %d fields only", path, len(fields))
	}
	return fields, nil
}
