// SPDX-License-Identifier: Apache-2.0

// Package domain contains the controller for Domains. It maintains exactly one Takaro domain for
// each Domain, with its credentials in Secrets, keeps it as specified and removes it with the
// object.
package domain
