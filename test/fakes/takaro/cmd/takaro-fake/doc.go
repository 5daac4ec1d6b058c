// SPDX-License-Identifier: Apache-2.0

// Command takaro-fake runs the Takaro stand-in until it receives SIGINT or SIGTERM. Its first line
// of output is its URL.
package main
