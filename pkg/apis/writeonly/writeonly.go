// SPDX-License-Identifier: Apache-2.0

// Package writeonly contains the type of fields that clients write and never read: passwords,
// kubeconfigs. These fields have the type *String in the internal types, and *string in the
// published types.
package writeonly

// redacted is returned by all formatting methods.
const redacted = "<write-only>"

// String is a value that is not shown in logs and error messages. Convert it to string to use it.
type String string

// String returns a placeholder.
func (String) String() string { return redacted }

// GoString returns a placeholder.
func (String) GoString() string { return redacted }

// MarshalLog returns a placeholder, for structured logs.
func (String) MarshalLog() any { return redacted }
