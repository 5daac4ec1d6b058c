// SPDX-License-Identifier: Apache-2.0

// Package crdsnapshot stores CRDSnapshots: copies of the cluster's CustomResourceDefinitions as the
// controller last observed them.
package crdsnapshot
