// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/text"
)

// Annotations of a CustomResourceDefinition by which the guard goes. Only those of the stored one count: what a request
// brings along counts from the next request on, so that to allow something is an update of its own, which the audit log
// shows.
const (
	// PolicyAnnotation says what becomes of a change that breaks something: Deny, Warn or Off.
	PolicyAnnotation = "roadstead.dev/crd-policy"
	// AllowChangeAnnotation allows one change, once. Its value is that of AllowChange: the digest of compare.Digest over the
	// stored and the new definition, and the generation of the stored one.
	AllowChangeAnnotation = "roadstead.dev/allow-change"
	// AllowDeleteAnnotation allows the deletion of the definition with this UID, with all its objects.
	AllowDeleteAnnotation = "roadstead.dev/allow-delete"
)

// Policy says what a change that breaks something needs.
type Policy string

// The policies. Operators have Deny, RequireApproval and Warn; the guard has Deny, Warn and Off.
const (
	// Deny refuses it.
	Deny Policy = "Deny"
	// RequireApproval lets it wait for a decision.
	RequireApproval Policy = "RequireApproval"
	// Warn allows it with warnings.
	Warn Policy = "Warn"
	// Off checks nothing. Only an annotation may say so: it is not meant for a whole cluster.
	Off Policy = "Off"
)

// policyOf gives the policy for a stored definition, and a warning where its annotation says something else than it may.
func policyOf(stored *metav1.ObjectMeta, byDefault Policy) (policy Policy, warning string) {
	value, ok := stored.Annotations[PolicyAnnotation]
	if !ok {
		return byDefault, ""
	}
	switch policy := Policy(value); policy {
	case Deny, Warn, Off:
		return policy, ""
	}
	return byDefault, fmt.Sprintf("annotation %s of %s is %q, which is none of Deny, Warn and Off: %s is in force", PolicyAnnotation,
		stored.Name, text.Line(value, 40), byDefault)
}
