// SPDX-License-Identifier: Apache-2.0

// Package operator contains the controller for Operators. It queries the chart repository, creates
// an OperatorVersion for each version to discover, and deletes the oldest ones beyond the history
// limit.
package operator
