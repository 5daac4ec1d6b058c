// SPDX-License-Identifier: Apache-2.0

// Package repository fetches Helm charts from HTTPS repositories and OCI registries into memory, and finds the
// CustomResourceDefinitions in them. What comes from a repository is a stranger's: sizes, times, addresses and names are
// bounded, nothing in it is executed, and what an error means for the caller is told by its Kind.
package repository
