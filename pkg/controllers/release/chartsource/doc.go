// SPDX-License-Identifier: Apache-2.0

// Package chartsource resolves what is needed to fetch and render the chart of an Operator: the
// repository with its credentials, and the values. It also classifies errors. The controllers of
// Operators and of OperatorVersions share it.
package chartsource
