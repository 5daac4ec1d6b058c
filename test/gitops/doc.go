// SPDX-License-Identifier: Apache-2.0

// Package gitops tests that tools read the state of objects as it is: kstatus, on which Helm and Flux rely, and the shipped
// health checks of artifacts/gitops, each with the evaluator of its tool. It is a module of its own, so that these stay out of
// the product's dependencies.
package gitops
