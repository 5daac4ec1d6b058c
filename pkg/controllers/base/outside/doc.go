// SPDX-License-Identifier: Apache-2.0

// Package outside brings one outside object to the state that an API object specifies. It is the
// loop around ownership.Decide: observe, decide, store the ledger, act, and observe again.
// Controllers send requests that change the outside system only through this package.
package outside
