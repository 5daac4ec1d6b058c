// SPDX-License-Identifier: Apache-2.0

// Package operatorversion stores OperatorVersions.
package operatorversion
