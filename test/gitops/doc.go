// SPDX-License-Identifier: Apache-2.0

// Package gitops tests that tools read the state of objects correctly: kstatus, on which Helm and
// Flux rely, and the shipped health checks of artifacts/gitops, each with the evaluator of its
// tool. It is a separate module, so that these evaluators are not among the product's dependencies.
package gitops
