// SPDX-License-Identifier: Apache-2.0

// Package hostprobe determines what the cluster serves and which permissions this server has in it.
// Parts of the server that an older cluster does not support are disabled. The start waits for
// missing permissions, and a permission that is revoked later causes a check of /readyz to fail: a
// part without its permissions may not enforce the policies of the cluster.
package hostprobe
