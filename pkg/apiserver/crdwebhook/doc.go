// SPDX-License-Identifier: Apache-2.0

// Package crdwebhook lets the host cluster ask roadstead-apiserver about changes of CustomResourceDefinitions: the HTTP
// endpoint around the decisions of pkg/engine/crd/policy, and the facts of the host that they need.
package crdwebhook
