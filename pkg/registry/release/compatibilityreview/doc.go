// SPDX-License-Identifier: Apache-2.0

// Package compatibilityreview answers CompatibilityReviews; it stores nothing.
package compatibilityreview
