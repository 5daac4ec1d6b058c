// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// calls contains operations that a child must not be able to perform, by name.
var calls = map[string]func() unix.Errno{
	"open":            raw(unix.SYS_OPENAT, 0, uintptr(unsafe.Pointer(&root[0])), unix.O_RDONLY),
	"openat2":         raw(unix.SYS_OPENAT2, 0, 0, 0),
	"socket":          raw(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0),
	"socketpair":      raw(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0),
	"connect":         raw(unix.SYS_CONNECT, 0, 0, 0),
	"execve":          raw(unix.SYS_EXECVE, uintptr(unsafe.Pointer(&root[0])), 0, 0),
	"fork":            raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0),
	"vfork":           raw(unix.SYS_CLONE, unix.CLONE_VFORK|unix.CLONE_VM|uintptr(unix.SIGCHLD), 0, 0),
	"ptrace":          raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0),
	"kill":            raw(unix.SYS_KILL, uintptr(os.Getppid()), 0, 0),
	"kill itself":     raw(unix.SYS_KILL, uintptr(os.Getpid()), 0, 0),
	"tgkill parent":   raw(unix.SYS_TGKILL, uintptr(os.Getppid()), uintptr(os.Getppid()), 0),
	"tgkill, high":    raw(unix.SYS_TGKILL, uintptr(os.Getppid())|uintptr(os.Getpid())<<32, uintptr(os.Getppid()), 0),
	"tkill":           raw(unix.SYS_TKILL, uintptr(os.Getpid()), 0, 0),
	"pidfd_open":      raw(unix.SYS_PIDFD_OPEN, uintptr(os.Getppid()), 0, 0),
	"process_vm_read": raw(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid()), 0, 0),
	"prlimit":         raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_DATA, 0),
	"prctl":           raw(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1, 0),
	"seccomp":         raw(unix.SYS_SECCOMP, 1, 0, 0),
	"io_uring":        raw(unix.SYS_IO_URING_SETUP, 1, 0, 0),
	"bpf":             raw(unix.SYS_BPF, 0, 0, 0),
	"unshare":         raw(unix.SYS_UNSHARE, unix.CLONE_NEWUSER, 0, 0),
	"mount":           raw(unix.SYS_MOUNT, 0, 0, 0),
	"memfd_create":    raw(unix.SYS_MEMFD_CREATE, uintptr(unsafe.Pointer(&root[0])), 0, 0),
	"executable page": raw(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC),
	"make executable": raw(unix.SYS_MPROTECT, 0, 4096, unix.PROT_READ|unix.PROT_EXEC),
	"unlink":          raw(unix.SYS_UNLINKAT, 0, uintptr(unsafe.Pointer(&root[0])), 0),
	"x32 read":        raw(x32Bit|unix.SYS_READ, 0, 0, 0),
}

var root = []byte("/\x00")

func raw(number, a, b, c uintptr) func() unix.Errno {
	return func() unix.Errno {
		_, _, errno := unix.Syscall(number, a, b, c)
		return errno
	}
}

// tryCall is a Handler that performs a call and returns its error.
func tryCall(_ context.Context, request json.RawMessage, _ Lookup) ([]any, error) {
	var name string
	if err := json.Unmarshal(request, &name); err != nil {
		return nil, err
	}
	return []any{int(calls[name]())}, nil
}

func TestChild_HasNoRights(t *testing.T) {
	seat := seatOf(t, tested(t, time.Minute), "tenant")
	for name := range calls {
		found, err := seat.Run(t.Context(), "call", name, nil)
		require.NoError(t, err, name)
		require.Len(t, found, 1)
		assert.Equal(t, fmt.Sprint(int(unix.EPERM)), string(found[0]), name)
	}
}

// TestFilter_IsFixed counts the allowed calls, so that each addition is deliberate.
func TestFilter_IsFixed(t *testing.T) {
	seen := map[uint32]bool{}
	for _, list := range [][]uint32{allowedCalls, ownCalls} {
		for _, call := range list {
			assert.False(t, seen[call], "call %d is listed twice", call)
			seen[call] = true
		}
	}
	for _, one := range limitedCalls(1) {
		assert.False(t, seen[one.call], "call %d is allowed without its condition", one.call)
		seen[one.call] = true
	}
	assert.LessOrEqual(t, len(seen), 37)
}

// decide runs the filter on a call like the kernel.
func decide(t *testing.T, arch, number uint32, arguments ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	put := func(at int, value uint32) {
		// The virtual machine of package bpf reads packets, which are big endian.
		data[at], data[at+1], data[at+2], data[at+3] = byte(value>>24), byte(value>>16), byte(value>>8), byte(value)
	}
	put(offsetNumber, number)
	put(offsetArch, arch)
	for i, value := range arguments {
		put(offsetArguments+8*i, uint32(value))
		put(offsetArguments+8*i+4, uint32(value>>32))
	}
	machine, err := bpf.NewVM(filter(77))
	require.NoError(t, err)
	verdict, err := machine.Run(data)
	require.NoError(t, err)
	return uint32(verdict)
}

func TestFilter_Decisions(t *testing.T) {
	const allowed = unix.SECCOMP_RET_ALLOW
	denied := unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	for _, test := range []struct {
		name      string
		arch      uint32
		number    uint32
		arguments []uint64
		want      uint32
	}{
		{"read", auditArch, unix.SYS_READ, nil, allowed},
		{"read of another architecture", unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, denied},
		{"x32 read", auditArch, x32Bit | unix.SYS_READ, nil, denied},
		{"the highest number", auditArch, 0xffffffff, nil, denied},
		{"a number that nobody has", auditArch, 5000, nil, denied},
		{"a signal to itself", auditArch, unix.SYS_TGKILL, []uint64{77, 78, 23}, allowed},
		{"a signal to another", auditArch, unix.SYS_TGKILL, []uint64{1, 1, 9}, denied},
		{"a signal to another with an upper half", auditArch, unix.SYS_TGKILL, []uint64{77<<32 | 1, 1, 9}, denied},
		{"a number as argument that is allowed as call", auditArch, unix.SYS_TGKILL, []uint64{unix.SYS_READ}, denied},
		{"a thread", auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_THREAD}, allowed},
		{"a process", auditArch, unix.SYS_CLONE, []uint64{unix.CLONE_VM}, denied},
		{"a thread or process with flags in memory", auditArch, unix.SYS_CLONE3, []uint64{0, 88}, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{"memory", auditArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allowed},
		{"code", auditArch, unix.SYS_MMAP, []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, denied},
		{"memory that becomes code", auditArch, unix.SYS_MPROTECT, []uint64{0, 4096, unix.PROT_EXEC}, denied},
	} {
		assert.Equal(t, test.want, decide(t, test.arch, test.number, test.arguments...), test.name)
	}
}

func TestInstall_RefusesWhatTheKernelRefuses(t *testing.T) {
	err := install([]bpf.Instruction{bpf.LoadAbsolute{Off: 1, Size: 4}, bpf.RetConstant{}})
	require.ErrorContains(t, err, "install the seccomp filter")
	assert.True(t, errors.Is(err, unix.EINVAL), err)
}
