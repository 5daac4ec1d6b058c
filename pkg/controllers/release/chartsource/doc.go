// SPDX-License-Identifier: Apache-2.0

// Package chartsource finds what is needed to fetch and render the chart of an Operator, which the controllers of Operators
// and of OperatorVersions share: the repository with its credentials, the values, and what is wrong when something is.
package chartsource
