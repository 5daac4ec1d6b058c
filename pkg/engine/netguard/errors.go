// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"errors"
	"fmt"
)

// ErrOwnUnknown is returned if an address was not dialed because the addresses of the cluster's API server are not known
// yet. It is temporary.
var ErrOwnUnknown = errors.New("the addresses of the API server of this cluster are not known yet")

// RefusedError is returned for an address that must not be dialed. It is terminal: a retry fails until the URL, the
// resolved address, or a flag changes.
type RefusedError struct {
	Address string // resolved address and port
	Reason  string // "it is a private address"
	Engine  string // the engine that dialed; may be empty
	Allow   string // the flag that allows the address; empty if there is none
}

// Error returns the address, the reason, and the flag that allows it.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("address %s is refused: %s", e.Address, e.Reason)
	if e.Allow != "" {
		return text + " (allowed by " + e.Allow + ")"
	}
	return text + " (no flag allows it; use another URL)"
}

// IsRefused reports whether err is or wraps a *RefusedError.
func IsRefused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}

// WriteRefusedError is returned if Policy.BeforeWrite rejected a write to a connection. It is not caused by the other
// side.
type WriteRefusedError struct {
	Err error // what BeforeWrite returned
}

// Error returns the text of the error of BeforeWrite.
func (e *WriteRefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the error of BeforeWrite.
func (e *WriteRefusedError) Unwrap() error { return e.Err }

// IsWriteRefused reports whether err is or wraps a *WriteRefusedError.
func IsWriteRefused(err error) bool {
	var refused *WriteRefusedError
	return errors.As(err, &refused)
}
