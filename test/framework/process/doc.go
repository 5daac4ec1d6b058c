// SPDX-License-Identifier: Apache-2.0

// Package process runs programs for tests and the demo. Their output goes to a file, their
// environment is isolated, and they cannot outlive the program that started them unless requested.
package process
