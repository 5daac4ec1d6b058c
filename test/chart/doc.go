// SPDX-License-Identifier: Apache-2.0

// Package chart compares the Helm chart artifacts/chart/roadstead with the kustomize directories of
// artifacts/deploy, and checks what it renders for arbitrary values. It needs no program and no
// cluster.
package chart
