// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package framework gives integration tests one real cluster with Roadstead in it, and users with few rights.
package framework
