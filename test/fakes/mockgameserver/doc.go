// SPDX-License-Identifier: Apache-2.0

// Package mockgameserver plays Takaro's mock game server for the pod player: it registers over the connector's WebSocket, keeps
// its simulation in a real Redis, exits where the real one exits, and has its bug (it never identifies again).
package mockgameserver
