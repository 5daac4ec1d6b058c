// SPDX-License-Identifier: Apache-2.0

// Package ownership decides what a controller may do to an object outside the cluster: a domain
// in Takaro, a Helm release, an object in another cluster. It is pure: it reads no clock, sends
// no request and stores nothing. The caller reads, calls Decide, stores Decision.Ledger, performs
// Decision.Action, and repeats.
//
// The proof of ownership is the ledger of the API object. Before a create, the ledger contains an
// intent with a create key; afterwards it contains the ID that the outside system returned. Nothing
// is deleted except by an ID of the ledger, or an object that has the key of a stored intent.
//
// Outside systems lose data, return old data and are replaced. The package then behaves as
// follows:
//
//   - Rolled back: recorded IDs no longer exist. Decide waits with reason Vanished until the
//     absence was observed in two complete lists a minute apart, and as long as a hold covers the
//     object (Judge). The record then becomes Lost, and a new object is created. Lost IDs are
//     kept: if the data return without the replacement, the former object is owned again. Objects
//     that the roll-back restored after their deletion are not changed.
//   - Replaced by another system: the caller cannot verify the endpoint, and Decide writes nothing
//     until the identity is accepted. Then the case above applies, in both directions.
//   - Truncated or contradictory responses: a list with fewer rows than its total, a list that lacks
//     what a read by ID returns, and a missing response prove nothing. Decide waits with reason
//     SearchIncomplete.
//   - Foreign objects: an object under a name from the spec is adopted only if the spec allows it,
//     and otherwise refused with reason Taken. A recorded object that was reassigned (another
//     reference) is refused with reason ReferenceChanged. Neither is deleted.
//   - The ledger itself was lost or restored from a backup: without a record nothing is deleted. An
//     object under the create key is adopted, because only Roadstead writes that key, and an object
//     that shows signs of use is never treated as the result of an interrupted create.
//   - Slow: a request may take effect late. An intent ends only after CreateWindow.
//
// The caller must limit the size of lists: Decide needs only the rows that have a recorded ID, the
// key or the name.
package ownership
