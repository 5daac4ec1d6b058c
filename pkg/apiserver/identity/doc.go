// SPDX-License-Identifier: Apache-2.0

// Package identity guards the bond between the host cluster and our store. A wiped, foreign or older store would answer
// "not found" for objects that exist, and the host's garbage collector would then delete what they own. So the store
// holds a random id, the host a record of it, and while the two do not fit every resource request is refused with 503.
package identity
