// SPDX-License-Identifier: Apache-2.0

package storeidentity

import (
	"fmt"
	"strconv"
	"strings"
)

// AnchorAnnotation is on Roadstead's APIServices and holds the Anchor of the store in use. It outlives the namespace of the
// installation: a new installation with an empty store is recognized by it.
const AnchorAnnotation = "roadstead.dev/store"

// MaxEpoch is the highest valid epoch. A higher one can only be a mistake, and the next acceptance
// would have to exceed it.
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

// ParseAnchor reads what String returns. An error means that the text is no anchor, or has an epoch outside 1 to MaxEpoch.
func ParseAnchor(text string) (Anchor, error) {
	id, number, found := strings.Cut(text, "/")
	epoch, err := strconv.ParseInt(number, 10, 64)
	if !found || id == "" || err != nil || epoch < 1 || epoch > MaxEpoch {
		return Anchor{}, fmt.Errorf("%q is not <store id>/<epoch>", text)
	}
	return Anchor{StoreID: id, Epoch: epoch}, nil
}
