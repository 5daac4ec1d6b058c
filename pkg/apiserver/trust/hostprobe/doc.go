// SPDX-License-Identifier: Apache-2.0

// Package hostprobe finds out what the host cluster serves and what this server may do there. Parts of the server that an
// older cluster does not serve stay off. A missing right is awaited at the start, and one that is revoked later makes a
// check of /readyz fail: a part that is on without its rights may not enforce what the cluster asks for.
package hostprobe
