// SPDX-License-Identifier: Apache-2.0

// Package validation validates what the declarative validation of the group release.roadstead.dev
// cannot express. Its functions have no side effects.
package validation
