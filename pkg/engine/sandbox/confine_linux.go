// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// confine removes all rights of this process that it does not need to compute. It cannot be undone.
func confine(with limits) error {
	debug.SetMemoryLimit(softMemory)
	debug.SetMaxStack(maxStack)
	debug.SetMaxThreads(maxThreads)
	// This also stops the runtime from reading the limits of the cgroup from files again.
	runtime.GOMAXPROCS(processors)
	for _, one := range []struct {
		name     string
		resource int
		most     uint64
	}{
		{"CORE", unix.RLIMIT_CORE, 0},
		{"FSIZE", unix.RLIMIT_FSIZE, 0},
		{"NOFILE", unix.RLIMIT_NOFILE, maxFiles},
		{"CPU", unix.RLIMIT_CPU, with.cpu},
		{"DATA", unix.RLIMIT_DATA, with.data},
	} {
		if one.resource == unix.RLIMIT_DATA && shadowed {
			continue
		}
		limit := unix.Rlimit{Cur: one.most, Max: one.most}
		if err := unix.Setrlimit(one.resource, &limit); err != nil {
			return fmt.Errorf("set RLIMIT_%s: %w", one.name, err)
		}
	}
	return install(filter(os.Getpid()))
}

// install installs a filter on all threads of this process.
func install(program []bpf.Instruction) error {
	assembled, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("assemble the seccomp filter: %w", err)
	}
	raw := make([]unix.SockFilter, len(assembled))
	for i, one := range assembled {
		raw[i] = unix.SockFilter{Code: one.Op, Jt: one.Jt, Jf: one.Jf, K: one.K}
	}
	// The kernel requires no_new_privs of the thread that installs the filter, and copies it to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	fprog := unix.SockFprog{Len: uint16(len(raw)), Filter: &raw[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fmt.Errorf("install the seccomp filter: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("install the seccomp filter: thread %d has a different filter", thread)
	}
	return nil
}
