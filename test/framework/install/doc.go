// SPDX-License-Identifier: Apache-2.0

// Package install installs Roadstead into a cluster of test/framework/cluster from the shipped
// manifests, with its two programs as local processes, for integration tests and the demo.
package install
