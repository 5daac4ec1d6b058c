// SPDX-License-Identifier: Apache-2.0

// Package endpoint finds the Takaro that an object talks to, and with which credentials: those that its spec names, else
// those of the installation for the same address.
package endpoint
