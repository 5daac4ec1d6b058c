// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Annotations of a CustomResourceDefinition that the guard reads. Only the annotations of the stored CRD
// count; those of a request take effect with the next request, so that allowing a change is an update of
// its own in the audit log.
const (
	// PolicyAnnotation is the policy for breaking changes: Deny, Warn or Off.
	PolicyAnnotation = "roadstead.dev/crd-policy"
	// AllowChangeAnnotation allows one change, once. Its value is the result of AllowChange: the
	// digest of compare.Digest for the stored and the new CRD, and the generation of the stored CRD.
	AllowChangeAnnotation = "roadstead.dev/allow-change"
	// AllowDeleteAnnotation allows the deletion of the CRD with this UID and of all its objects.
	AllowDeleteAnnotation = "roadstead.dev/allow-delete"
)

// Policy is the policy for breaking changes.
type Policy string

// The policies. Operators support Deny, RequireApproval and Warn; the guard supports Deny, Warn and Off.
const (
	// Deny rejects breaking changes.
	Deny Policy = "Deny"
	// RequireApproval holds breaking changes until they are approved.
	RequireApproval Policy = "RequireApproval"
	// Warn allows breaking changes with warnings.
	Warn Policy = "Warn"
	// Off disables the check. It can be set only by annotation, because it is not meant for an entire cluster.
	Off Policy = "Off"
)

// policyOf returns the policy for a stored CRD, and a warning if its annotation has an invalid value.
func policyOf(stored *metav1.ObjectMeta, byDefault Policy) (policy Policy, warning string) {
	value, ok := stored.Annotations[PolicyAnnotation]
	if !ok {
		return byDefault, ""
	}
	switch policy := Policy(value); policy {
	case Deny, Warn, Off:
		return policy, ""
	}
	return byDefault, fmt.Sprintf("annotation %s of %s is %q, but must be Deny, Warn or Off; policy %s applies", PolicyAnnotation,
		stored.Name, text.Line(value, 40), byDefault)
}
