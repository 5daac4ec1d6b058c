// SPDX-License-Identifier: Apache-2.0

//go:build amd64 || arm64

package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data (seccomp(2)). Both architectures are little endian, so the lower half of an argument is
// first. The upper halves do not matter: the kernel reads the arguments that are checked as 32 bits.
const (
	offsetNumber    = 0
	offsetArch      = 4
	offsetArguments = 16
)

// allowedCalls are allowed with any arguments: the Go runtime, and a C library below it, use them to manage memory, threads,
// signals and timers, and to read from and write to open descriptors. Calls of a single architecture are in ownCalls.
var allowedCalls = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_FCNTL,
	unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_BRK,
	unix.SYS_FUTEX, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETTID,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	unix.SYS_GETRANDOM, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// argument is a condition on the lower half of an argument.
type argument struct {
	call uint32
	// at is the index of the argument, starting at 0.
	at uint32
	// test compares it with value. The call is allowed if the test holds.
	test  bpf.JumpTest
	value uint32
}

// limitedCalls are allowed under a condition. pid is the ID of the process.
func limitedCalls(pid int) []argument {
	return []argument{
		// A new thread, never a process.
		{unix.SYS_CLONE, 0, bpf.JumpBitsSet, unix.CLONE_THREAD},
		// The runtime preempts its own threads with signals.
		{unix.SYS_TGKILL, 0, bpf.JumpEqual, uint32(pid)},
		// Memory that is writable is never executable.
		{unix.SYS_MMAP, 2, bpf.JumpBitsNotSet, unix.PROT_EXEC},
		{unix.SYS_MPROTECT, 2, bpf.JumpBitsNotSet, unix.PROT_EXEC},
	}
}

// filter returns the program that decides about each system call of a process. Calls that are not allowed, calls through
// another architecture, and the x32 calls of amd64 fail with EPERM.
//
// clone3 fails with ENOSYS: its flags are in memory, where a filter cannot read them, and a C library then uses clone. Only
// programs that are built with cgo, such as tests, contain one.
func filter(pid int) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	deny := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		deny,
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		// On amd64 this bit marks the x32 calls. On arm64 no call has such a number.
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Bit, SkipTrue: 1},
		deny,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE3, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	for _, calls := range [][]uint32{allowedCalls, ownCalls} {
		for _, call := range calls {
			program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: 1}, allow)
		}
	}
	for _, one := range limitedCalls(pid) {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: one.call, SkipFalse: 4},
			bpf.LoadAbsolute{Off: offsetArguments + 8*one.at, Size: 4},
			bpf.JumpIf{Cond: one.test, Val: one.value, SkipFalse: 1},
			allow,
			deny)
	}
	return append(program, deny)
}

// x32Bit is __X32_SYSCALL_BIT.
const x32Bit = 0x40000000
