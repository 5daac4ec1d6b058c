// SPDX-License-Identifier: Apache-2.0

package common

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/registry/generic"
)

// DropApplied takes the copy of the whole manifest that client-side apply makes out of the annotations. It is of no use for a
// spec that never changes, and a large one is larger than annotations may be. An apply that changes nothing else changes
// nothing then: of what it does to the managed fields only the time would be left, which is put back. Old is the stored
// object, nil in a create.
func DropApplied[E any, T interface {
	*E
	generic.Object
}](object, old T) {
	annotations := object.GetAnnotations()
	if _, there := annotations[corev1.LastAppliedConfigAnnotation]; !there {
		return
	}
	annotations = maps.Clone(annotations)
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	object.SetAnnotations(annotations)
	if old != nil && apiequality.Semantic.DeepEqual(timeless(object.GetManagedFields()), timeless(old.GetManagedFields())) {
		object.SetManagedFields(old.GetManagedFields())
	}
}

func timeless(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	copied := make([]metav1.ManagedFieldsEntry, len(entries))
	for i, entry := range entries {
		copied[i] = entry
		copied[i].Time = nil
	}
	return copied
}
