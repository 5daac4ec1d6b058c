// SPDX-License-Identifier: Apache-2.0

// Package anchor decides whether the outside system is the one that an installation knows, and whether
// this process may write to it. It is pure: it reads no clock, sends no request and stores nothing.
//
// The proof is an anchor: an object in the outside system with a unique reference that names the
// installation. Its ID and creation time are chosen by the outside system and are its identity. Its
// name contains the holder, a random value of one process. The leader renews the anchor, which moves
// the time of its last change; all other processes only read it.
//
// Outside systems, and the cluster itself, are copied, restored and replaced. The package then
// behaves as follows:
//
//   - Another database responds at the address: it has another anchor, or neither the anchor nor a
//     known object. The state is IdentityChanged, and nothing is written until a user accepts it.
//   - The database was rolled back: the anchor is the recorded one, and the state is Verified. Package
//     ownership decides about objects that vanished.
//   - A copy of the cluster runs next to the original: the anchor moves under a holder that is not
//     this process while this process leads. The state is HeldByOther, which is stored, so that the
//     copy does not take over while the original restarts.
//   - Two processes of one installation: a new leader replaces the holder if the former one released
//     it, or if the anchor did not move for longer than a holder may rely on its last response.
//   - No response, or a late one: a verification expires by the process's own clock. Clocks of
//     different machines are never compared.
package anchor
