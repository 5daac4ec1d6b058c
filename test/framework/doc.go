// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package framework provides integration tests with one real cluster in which Roadstead is
// installed, and with users that have few rights.
package framework
