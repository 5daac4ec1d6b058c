// SPDX-License-Identifier: Apache-2.0

// Package crdwebhook is the admission webhook for changes of CustomResourceDefinitions: the HTTP
// endpoint for the decisions of pkg/engine/crd/policy, and the facts about the cluster that they
// need.
package crdwebhook
