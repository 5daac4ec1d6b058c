// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs work on untrusted input in a child process without rights.
//
// The child is this program again, /proc/self/exe with the arguments "sandbox" and the name of a Handler. It has no
// environment, no open files except standard input, output and error, and its own process group. Before it reads its request,
// it limits its memory, CPU time and files, and installs a seccomp filter: it cannot open files or sockets, start processes,
// or signal or trace other processes. It can only compute and write to standard output.
//
// Both sides exchange frames: four bytes of length, big endian, and JSON. The parent sends the request and the answers to
// lookups. The child sends lookups, the objects of its result, and an end. The parent does not trust the child: it enforces
// sizes, numbers and time again, and kills a child that exceeds a limit.
//
// The result is objects or an *Error, whose Kind shows whether the input is the cause. A sandbox that does not confine is not
// used: Test runs operations that must fail and that must succeed in a child, and until it passes Reserve returns
// KindUnavailable.
package sandbox
