// SPDX-License-Identifier: Apache-2.0

// Command cluster runs a test cluster that outlives the command: "up" starts it, "down" stops
// exactly the processes that "up" started.
package main
