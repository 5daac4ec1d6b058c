// SPDX-License-Identifier: Apache-2.0

// Package mockserver makes MockServers real: pods of a StatefulSet that register as game servers of a Takaro domain, kept
// reachable, called as the spec says, and removed from Takaro and Redis with the object.
package mockserver
