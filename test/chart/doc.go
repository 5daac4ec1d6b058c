// SPDX-License-Identifier: Apache-2.0

// Package chart holds the Helm chart artifacts/chart/roadstead against the kustomize folders of artifacts/deploy, and checks
// what it renders for any values. It needs no program and no cluster.
package chart
