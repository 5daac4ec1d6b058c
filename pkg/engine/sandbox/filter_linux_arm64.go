// SPDX-License-Identifier: Apache-2.0

package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// ownCalls are allowed calls that amd64 does not have.
var ownCalls []uint32
