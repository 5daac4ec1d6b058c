// SPDX-License-Identifier: Apache-2.0

// Package report shows reports: as text for a person, as JSON for a program, as SARIF for what collects findings of tools.
package report
