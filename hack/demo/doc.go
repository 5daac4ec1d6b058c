// SPDX-License-Identifier: Apache-2.0

// Command demo shows Roadstead's main job on a bare machine: a real control plane, both programs as their
// ServiceAccounts, a stand-in for Takaro, and kubectl as the user.
package main
