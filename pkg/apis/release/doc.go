// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +groupName=release.roadstead.dev

// Package release contains the internal (hub) types of the API group release.roadstead.dev.
// Strategies, admission and validation use them, independent of the version of the request.
package release
