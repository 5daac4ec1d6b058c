// SPDX-License-Identifier: Apache-2.0

// Package operator is the controller of Operators. It tries the chart repository, makes an OperatorVersion of each version
// that is to be discovered, and deletes the oldest beyond the history limit.
package operator
