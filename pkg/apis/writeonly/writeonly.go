// SPDX-License-Identifier: Apache-2.0

// Package writeonly holds the type of fields that clients write and never read: passwords, kubeconfigs. In the internal
// types they are *String, in published ones *string.
package writeonly

// redacted is what anything but the storage sees.
const redacted = "<write-only>"

// String is a value that does not show itself in logs and error texts. Convert it to string to use it.
type String string

// String returns a placeholder.
func (String) String() string { return redacted }

// GoString returns a placeholder.
func (String) GoString() string { return redacted }

// MarshalLog returns a placeholder, for structured logs.
func (String) MarshalLog() any { return redacted }
