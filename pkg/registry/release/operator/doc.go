// SPDX-License-Identifier: Apache-2.0

// Package operator stores Operators.
package operator
