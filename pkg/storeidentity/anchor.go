// SPDX-License-Identifier: Apache-2.0

package storeidentity

import "strconv"

// MaxEpoch is the highest epoch that is believed. A higher one can only be a mistake, and the next acceptance would have
// to exceed it.
const MaxEpoch = 1_000_000_000

// Anchor names one epoch of one store.
type Anchor struct {
	// StoreID is the random id in the store.
	StoreID string
	// Epoch is the number of the epoch, from 1. It rises each time an administrator accepts a store.
	Epoch int64
}

// String returns <store id>/<epoch>.
func (a Anchor) String() string { return a.StoreID + "/" + strconv.FormatInt(a.Epoch, 10) }
