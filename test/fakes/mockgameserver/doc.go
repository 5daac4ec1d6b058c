// SPDX-License-Identifier: Apache-2.0

// Package mockgameserver simulates Takaro's mock game server for the pod player: it registers over
// the connector's WebSocket, stores its simulation in a real Redis, exits in the same cases as the
// real program, and has the same bug: it does not identify again after a reconnect.
package mockgameserver
