// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package
// +k8s:protobuf-gen=package
// +k8s:conversion-gen=roadstead.dev/roadstead/pkg/apis/takaro
// +k8s:defaulter-gen=TypeMeta
// +k8s:validation-gen=TypesWithField=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=dev.roadstead.takaro.v1alpha1
// +groupName=takaro.roadstead.dev

// Package v1alpha1 is version v1alpha1 of the API group takaro.roadstead.dev: test environments
// in a Takaro installation.
package v1alpha1
