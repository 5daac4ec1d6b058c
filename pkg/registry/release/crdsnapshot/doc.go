// SPDX-License-Identifier: Apache-2.0

// Package crdsnapshot stores CRDSnapshots: what the controller last saw of the cluster's own CustomResourceDefinitions.
package crdsnapshot
