// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +groupName=takaro.roadstead.dev

// Package takaro holds the internal (hub) types of the group takaro.roadstead.dev: what strategies, admission and
// validation work on, whatever version a client spoke.
package takaro
