// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs work on untrusted input in a child process without rights.
//
// The child is this program again, /proc/self/exe with the arguments "sandbox" and the name of a Handler. It has no
// environment, no file but standard input, output and error, and a process group of its own. Before it reads its request it
// limits its memory, CPU time and files, and installs a seccomp filter: it cannot open a file or a socket, start a process,
// signal or trace another one. What remains is to compute and to answer over standard output.
//
// Both sides exchange frames: four bytes of length, big endian, and JSON. The parent sends the request and the answers to
// lookups, the child sends lookups, the objects of its result, and an end. The parent trusts none of it: sizes, numbers and
// time are bounded on its side again, and a child that breaks a bound is killed.
//
// Work ends with objects or with an *Error, whose Kind says whether the input is to blame. A sandbox that does not confine is
// not used: Test runs what must fail and what must work in a child, and until it passes Reserve returns KindUnavailable.
package sandbox
