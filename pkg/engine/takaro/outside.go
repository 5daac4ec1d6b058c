// SPDX-License-Identifier: Apache-2.0

package takaro

// These errors are caused by the Takaro that a caller named, or on the way to it, and not by this program. A process that counts
// its failures can tell them apart by this method.

// Outside reports that Takaro answered with an error.
func (*APIError) Outside() bool { return true }

// Outside reports that Takaro was not reached.
func (*TransportError) Outside() bool { return true }

// Outside reports that Takaro did not answer before.
func (*CircuitOpenError) Outside() bool { return true }

// Outside reports that Takaro asked to wait.
func (*RateLimitedError) Outside() bool { return true }

// Outside reports that what Takaro answered is not whole.
func (*IncompleteError) Outside() bool { return true }

// Outside reports that what Takaro answered is too large.
func (*SearchTooLargeError) Outside() bool { return true }
