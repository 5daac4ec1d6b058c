// SPDX-License-Identifier: Apache-2.0

// Package hostprobe finds out at the start what the host cluster serves and what this server may do there, and decides
// which parts of the server must stay off. Without it a part whose objects cannot be watched would keep the server unready
// for ever, and every write would fail.
package hostprobe
