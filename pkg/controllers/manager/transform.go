// SPDX-License-Identifier: Apache-2.0

package manager

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// stripped removes from an object what the cache must not contain. It removes managedFields, which
// use half of the memory and which the controllers do not read. From objects that are cached with
// metadata only, it also removes the annotation in which "kubectl apply" stores the entire content,
// for a Secret in plain text. Objects that are cached completely keep the annotation, because an
// update sends it back.
func stripped(in any) (any, error) {
	if object, partial := in.(*metav1.PartialObjectMetadata); partial {
		delete(object.Annotations, corev1.LastAppliedConfigAnnotation)
	}
	return stripManagedFields(in)
}

var stripManagedFields = cache.TransformStripManagedFields()
