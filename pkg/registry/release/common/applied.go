// SPDX-License-Identifier: Apache-2.0

package common

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/registry/generic"
)

// DropApplied removes the annotation in which client-side apply stores the entire manifest. The
// annotation is useless for a spec that never changes, and a large manifest exceeds the size limit
// of annotations. If an apply changes nothing else, the time in managedFields is restored, so that
// the object does not change. old is the stored object, nil on create.
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
