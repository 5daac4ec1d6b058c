// SPDX-License-Identifier: Apache-2.0

// Package ownership decides what a controller may do to an object outside the cluster: a domain
// in Takaro, a Helm release, an object in another cluster. It is pure: it reads no clock, sends
// no request and stores nothing. The caller reads, calls Decide, stores Decision.Ledger, performs
// Decision.Action, and repeats.
//
// The proof of ownership is the ledger of the API object. Before a create, the ledger holds an
// intent with a create key; afterwards it holds the id that the outside system returned. Nothing
// is deleted except by an id of the ledger, or an object that carries the key of a stored intent.
//
// Outside systems lose data, return old data and are replaced. The package then behaves as
// follows:
//
//   - Rolled back: recorded ids no longer exist. Decide waits with reason Vanished until the
//     absence was seen in two complete lists a minute apart, and as long as a hold covers the
//     object (Judge). The record then becomes Lost, and a new object is created. Lost ids are
//     kept: if the data returns and the replacement is missing in it, the former object is owned
//     again. Objects that the roll-back brought back after their deletion are left alone.
//   - Swapped for another system: the caller cannot verify the endpoint, and Decide writes nothing
//     until the identity is accepted. Then the case above applies, in both directions.
//   - Truncated or contradictory answers: a list with fewer rows than its total, a list that lacks
//     what a read by id returns, and a missing answer prove nothing. Decide waits with reason
//     SearchIncomplete.
//   - Somebody else's objects: an object under a name that the user typed is adopted only if the
//     spec says so, and otherwise refused with reason Taken. A recorded object that was given to
//     somebody else (another reference) is refused with reason ReferenceChanged. Neither is
//     deleted.
//   - The ledger itself lost or restored from a backup: without a record nothing is deleted. An
//     object under the create key is adopted, as only Roadstead writes that key, and an object
//     that shows signs of use is never taken for what an interrupted create left.
//   - Slow: a request that was sent may still arrive. An intent ends only after CreateWindow.
//
// Lists that do not end are the caller's to bound: Decide needs no more rows than those that
// carry a recorded id, the key or the name.
package ownership
