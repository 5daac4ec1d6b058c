// SPDX-License-Identifier: Apache-2.0

// Package local installs Roadstead into a cluster of hack/cluster as the shipped manifests say, with its two programs as
// processes of this machine: for integration tests and the demo.
package local
