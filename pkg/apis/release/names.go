// SPDX-License-Identifier: Apache-2.0

package release

import "strings"

// uidInName is the number of characters of the subject's UID in the name of an Approval.
const uidInName = 12

// ApprovalName returns the only valid name of the Approval of a subject, so that there is at most
// one: <kind>-<first 12 characters of the UID>-<type>[-<environment>], in lower case.
func ApprovalName(kind, uid, approvalType, environment string) string {
	parts := []string{kind, uid[:min(uidInName, len(uid))], approvalType}
	if environment != "" {
		parts = append(parts, environment)
	}
	return strings.ToLower(strings.Join(parts, "-"))
}

// OperatorVersionName returns the only valid name of the OperatorVersion of a version: the name
// of the operator, a hyphen and the version, in lower case and with - in place of +.
func OperatorVersionName(operator, version string) string {
	return strings.ToLower(operator + "-" + strings.ReplaceAll(version, "+", "-"))
}

// CRDSchemaName returns the only valid name of the CRDSchema of a CRD of an OperatorVersion.
func CRDSchemaName(operatorVersion, crd string) string { return operatorVersion + "." + crd }
