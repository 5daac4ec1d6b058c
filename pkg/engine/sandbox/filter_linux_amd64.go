// SPDX-License-Identifier: Apache-2.0

package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// ownCalls are allowed calls that arm64 does not have.
var ownCalls = []uint32{unix.SYS_EPOLL_WAIT}
