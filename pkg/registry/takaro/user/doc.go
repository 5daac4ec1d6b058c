// SPDX-License-Identifier: Apache-2.0

// Package user stores Users.
package user
