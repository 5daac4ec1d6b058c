// SPDX-License-Identifier: Apache-2.0

// Package orphans deletes Roadstead's objects whose namespace was deleted: a create that raced the
// end of its namespace can land after everything else in it was deleted, and then nobody deletes it
// (kubernetes/kubernetes#49027).
//
// It deletes on positive evidence only: this process saw the namespace Terminating. The cluster can
// be rolled back under a store that is not, and then the namespaces that are newer than the backup
// are absent without ever having been deleted. Objects of such namespaces are kept until an
// administrator releases them; see HoldNamespaceEndNotSeen. A mistake here removes all environments.
package orphans
