// SPDX-License-Identifier: Apache-2.0

// Package compatibilityreview serves CompatibilityReviews, which are not stored.
package compatibilityreview
