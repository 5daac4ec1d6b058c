// SPDX-License-Identifier: Apache-2.0

package takaro

// These errors are caused by the Takaro that a user configured, or by the network, and not by this program. Outside
// allows a process to exclude them from its own failures.

// Outside reports that Takaro responded with an error.
func (*APIError) Outside() bool { return true }

// Outside reports that Takaro was not reached.
func (*TransportError) Outside() bool { return true }

// Outside reports that Takaro did not respond before.
func (*CircuitOpenError) Outside() bool { return true }

// Outside reports that Takaro requested a pause.
func (*RateLimitedError) Outside() bool { return true }

// Outside reports that Takaro's response is incomplete.
func (*IncompleteError) Outside() bool { return true }

// Outside reports that Takaro's response is too large.
func (*SearchTooLargeError) Outside() bool { return true }
