// SPDX-License-Identifier: Apache-2.0

// Package kubectl is the kubectl plugin: kubectl roadstead status, tree, wait, approve, reject, crdcheck.
//
// It knows no kinds. It reads the kinds of category roadstead that the cluster serves, and uses
// only what every kind has: conditions, a phase, references in fields that end in Ref.
package kubectl
