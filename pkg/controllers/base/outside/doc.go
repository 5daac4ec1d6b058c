// SPDX-License-Identifier: Apache-2.0

// Package outside brings one outside object to what an API object asks for. It is the loop around
// ownership.Decide: observe, decide, store the ledger, act, and observe again. No controller sends
// a request that changes the outside system in another way.
package outside
