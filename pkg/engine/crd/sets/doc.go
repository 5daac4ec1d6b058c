// SPDX-License-Identifier: Apache-2.0

// Package sets compares bundles of CustomResourceDefinitions: files, folders and charts. It compares each definition that
// both have, and reports what happens to those that only one has.
package sets
