// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "strings"

// uidInName is how much of the subject's UID is in the name of an Approval.
const uidInName = 12

// ApprovalName returns the only name that the Approval of a subject may have, so that there is one at most:
// <kind>-<first 12 characters of the uid>-<type>[-<environment>], in lower case.
func ApprovalName(kind, uid, approvalType, environment string) string {
	parts := []string{kind, uid[:min(uidInName, len(uid))], approvalType}
	if environment != "" {
		parts = append(parts, environment)
	}
	return strings.ToLower(strings.Join(parts, "-"))
}
