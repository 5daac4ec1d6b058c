// SPDX-License-Identifier: Apache-2.0

// Command demo shows Roadstead's main features on a machine without a cluster: a real control
// plane, both programs with their ServiceAccounts, a stand-in for Takaro, and kubectl as the user.
package main
