// SPDX-License-Identifier: Apache-2.0

// Package approval stores Approvals, and decides them through the subresources approve and reject.
package approval
