// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +groupName=takaro.roadstead.dev

// Package takaro contains the internal (hub) types of the API group takaro.roadstead.dev.
// Strategies, admission and validation use them, independent of the version of the request.
package takaro
