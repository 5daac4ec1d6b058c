// SPDX-License-Identifier: Apache-2.0

package release

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

// OperatorVersionName returns the only name that the OperatorVersion of a version may have: the operator's name, a hyphen and
// the version, in lower case and with + as -.
func OperatorVersionName(operator, version string) string {
	return strings.ToLower(operator + "-" + strings.ReplaceAll(version, "+", "-"))
}

// CRDSchemaName returns the only name that the CRDSchema of a CRD of an OperatorVersion may have.
func CRDSchemaName(operatorVersion, crd string) string { return operatorVersion + "." + crd }
