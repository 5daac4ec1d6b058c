// SPDX-License-Identifier: Apache-2.0

// Package crdguard detects changes of the cluster's CustomResourceDefinitions that the guard would
// have rejected if it had been called: it was not installed, did not respond in time, or is
// configured to fail open. It stores the last observed state of each CRD in a CRDSnapshot.
package crdguard
