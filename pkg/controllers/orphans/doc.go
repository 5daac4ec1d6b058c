// SPDX-License-Identifier: Apache-2.0

// Package orphans deletes objects of ours whose namespace is gone: a create that raced the end of its namespace can land
// after everything else in it was deleted, and then nobody deletes it (kubernetes/kubernetes#49027).
//
// It deletes on positive evidence only. A mistake here removes everybody's environments.
package orphans
