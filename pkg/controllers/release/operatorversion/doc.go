// SPDX-License-Identifier: Apache-2.0

// Package operatorversion contains the controller for OperatorVersions. It fetches the chart of a
// version once, creates a CRDSchema for each CRD in it, and combines the results of the comparison
// with the previous version.
package operatorversion
