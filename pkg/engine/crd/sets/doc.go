// SPDX-License-Identifier: Apache-2.0

// Package sets compares bundles of CustomResourceDefinitions: files, folders and charts. It compares
// each CRD that is in both bundles, and reports the effects on CRDs that are in only one of them.
package sets
