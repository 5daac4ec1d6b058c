// SPDX-License-Identifier: Apache-2.0

// Package crdcheck is the command line of roadstead-crdcheck: it reads CRDs, compares them with
// pkg/engine/crd/compare, and prints the findings.
package crdcheck
