// SPDX-License-Identifier: Apache-2.0

// Package domain makes Domains real in Takaro: exactly one Takaro domain for each, with its credentials in Secrets,
// kept as the spec says and removed with the object.
package domain
