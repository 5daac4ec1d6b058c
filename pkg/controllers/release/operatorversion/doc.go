// SPDX-License-Identifier: Apache-2.0

// Package operatorversion is the controller of OperatorVersions. It fetches the chart of a version once, makes a CRDSchema of
// each definition in it, and gathers what the comparison with the version before found.
package operatorversion
