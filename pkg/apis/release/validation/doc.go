// SPDX-License-Identifier: Apache-2.0

// Package validation says what declarative validation of the group release.roadstead.dev cannot. Its functions are pure.
package validation
