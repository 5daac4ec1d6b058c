// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:conversion-gen=roadstead.dev/roadstead/pkg/apis/release
// +k8s:defaulter-gen=TypeMeta
// +k8s:validation-gen=TypesWithField=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=dev.roadstead.release.v1alpha1
// +groupName=release.roadstead.dev

// Package v1alpha1 is version v1alpha1 of the API group release.roadstead.dev: operators, their
// versions, the CustomResourceDefinitions of each version, and the approvals of their breaking
// changes.
package v1alpha1
