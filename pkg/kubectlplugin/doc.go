// SPDX-License-Identifier: Apache-2.0

// Package kubectlplugin is the kubectl plugin: kubectl roadstead status, tree, wait, approve, reject, crdcheck.
//
// It knows no kinds. What it looks at are the kinds of category roadstead that the cluster serves, and what it knows of each
// is what every kind has: conditions, a phase, references in fields that end in Ref.
package kubectlplugin
