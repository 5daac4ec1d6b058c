// SPDX-License-Identifier: Apache-2.0

// Package install installs Roadstead into a cluster of test/framework/cluster as the shipped manifests say, with its two programs as
// processes of this machine: for integration tests and the demo.
package install
