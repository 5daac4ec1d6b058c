// SPDX-License-Identifier: Apache-2.0

// Package report writes reports: as text for users, as JSON for programs, and as SARIF for systems that collect findings of tools.
package report
