// SPDX-License-Identifier: Apache-2.0

package operator

// Reasons of events. Problems are reported with the reason of the condition RepositoryReachable.
const (
	eventDiscovered     = "VersionDiscovered"
	eventVersionRefused = "VersionRefused"
	eventVersionDeleted = "VersionDeleted"
)
