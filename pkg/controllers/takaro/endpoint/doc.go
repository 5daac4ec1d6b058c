// SPDX-License-Identifier: Apache-2.0

// Package endpoint resolves the Takaro endpoint and the credentials of an object: those in its
// spec, or those of the installation for the same address.
package endpoint
