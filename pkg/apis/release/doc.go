// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +groupName=release.roadstead.dev

// Package release holds the internal (hub) types of the group release.roadstead.dev: what strategies, admission and
// validation work on, whatever version a client spoke.
package release
