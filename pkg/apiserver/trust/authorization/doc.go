// SPDX-License-Identifier: Apache-2.0

// Package authorization authorizes requests with SubjectAccessReviews, caches the decisions, and
// provides metrics for both.
package authorization
