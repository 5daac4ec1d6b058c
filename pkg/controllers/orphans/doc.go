// SPDX-License-Identifier: Apache-2.0

// Package orphans deletes Roadstead's objects whose namespace was deleted: a create that races with
// the deletion of its namespace can take effect after everything else in it was deleted, and the
// object is then never deleted (kubernetes/kubernetes#49027).
//
// It deletes objects only on positive evidence: this process observed the namespace as Terminating.
// If the cluster is rolled back and the store is not, the namespaces that are newer than the backup
// are absent without having been deleted. Objects of such namespaces are kept until an
// administrator releases them; see HoldNamespaceEndNotSeen. A mistake here would remove all
// environments.
package orphans
