// SPDX-License-Identifier: Apache-2.0

// Package mockserver contains the controller for MockServers. Each MockServer consists of pods of a
// StatefulSet that register as game servers of a Takaro domain. The controller keeps them
// reachable, names them as specified, and removes them from Takaro and Redis with the object.
package mockserver
