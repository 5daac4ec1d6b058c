// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=dev.roadstead.ownership.v1alpha1

// Package v1alpha1 is the part of a status in which every kind records the outside objects that
// it owns. It belongs to no API group. Package ownership of the engines decides with it.
package v1alpha1
