// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NameFromMetadata returns a Kind.Prepare for kinds whose spec has the name of an external object.
// It sets the name from metadata.name in a new object, where a generated name is known only at this
// point, and from the stored object in an update that omits it.
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

// ReadyReason returns the reason of the condition Ready for a column, "" if there is no such
// condition.
func ReadyReason(conditions []metav1.Condition) string {
	if ready := meta.FindStatusCondition(conditions, conditionReady); ready != nil {
		return ready.Reason
	}
	return ""
}
