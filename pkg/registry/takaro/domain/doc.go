// SPDX-License-Identifier: Apache-2.0

// Package domain stores Domains.
package domain
