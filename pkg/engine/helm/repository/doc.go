// SPDX-License-Identifier: Apache-2.0

// Package repository downloads Helm charts from HTTPS repositories and OCI registries into memory, and finds the
// CustomResourceDefinitions in them. The content of a repository is not trusted: sizes, times, addresses and names are
// limited, and nothing in it is executed. The Kind of an error determines what the caller does.
package repository
