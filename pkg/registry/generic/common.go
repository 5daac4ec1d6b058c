// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NameFromMetadata returns a Kind.Prepare for kinds whose spec names the outside object. It fills the name: from
// metadata.name in a new object, which is known only now when it was generated, and from the stored object in an update
// that leaves it out.
func NameFromMetadata[E any, T interface {
	*E
	Object
}](name func(T) *string) func(obj, old T) {
	return func(obj, old T) {
		switch field := name(obj); {
		case *field != "":
		case old != nil:
			*field = *name(old)
		default:
			*field = obj.GetName()
		}
	}
}

// ReadyReason returns the reason of the condition Ready, "" when there is none, for a column.
func ReadyReason(conditions []metav1.Condition) string {
	if ready := meta.FindStatusCondition(conditions, conditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}
