// SPDX-License-Identifier: Apache-2.0

// Command cluster runs a test cluster that stays when the command has ended: "up" starts it, "down" ends
// exactly what "up" started.
package main
