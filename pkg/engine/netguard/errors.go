// SPDX-License-Identifier: Apache-2.0

package netguard

import (
	"errors"
	"fmt"
)

// ErrOwnUnknown reports that an address was not dialled because the addresses of the host's own API server are not known
// yet. It passes when they are.
var ErrOwnUnknown = errors.New("the addresses of the API server of this cluster are not known yet")

// RefusedError says that an address was not dialled. It is terminal: nothing changes until the URL, what
// its name resolves to, or a flag changes.
type RefusedError struct {
	Address string // resolved address and port
	Reason  string // "it is a private address"
	Engine  string // who wanted to dial; may be empty
	Allow   string // the flag that would admit it; empty when none does
}

// Error names the address, the reason, and the flag that would admit it.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("address %s is refused: %s", e.Address, e.Reason)
	if e.Allow != "" {
		return text + " (allowed by " + e.Allow + ")"
	}
	return text + " (no flag allows it; use another URL)"
}

// IsRefused tells whether err is or wraps a *RefusedError.
func IsRefused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}

// WriteRefusedError reports that Policy.BeforeWrite refused a write to a connection. It says
// nothing about the other side.
type WriteRefusedError struct {
	Err error // what BeforeWrite returned
}

// Error returns what BeforeWrite said.
func (e *WriteRefusedError) Error() string { return e.Err.Error() }

// Unwrap returns what BeforeWrite returned.
func (e *WriteRefusedError) Unwrap() error { return e.Err }

// IsWriteRefused reports whether err is or wraps a *WriteRefusedError.
func IsWriteRefused(err error) bool {
	var refused *WriteRefusedError
	return errors.As(err, &refused)
}
