// SPDX-License-Identifier: Apache-2.0

// Package process runs programs for tests and the demo: output in a file, an environment of their own, and no way to
// outlive the program that started them unless asked to.
package process
