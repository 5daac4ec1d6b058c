// SPDX-License-Identifier: Apache-2.0

package orphans

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// find returns every namespace that contains objects, with the objects that are not being deleted
// yet.
func (s *sweeper) find(ctx context.Context) (map[string][]*metav1.PartialObjectMetadata, error) {
	found := map[string][]*metav1.PartialObjectMetadata{}
	for _, kind := range s.kinds {
		list := kind.DeepCopyObject().(client.ObjectList)
		// The cached objects are neither kept nor modified, so they need not be copied.
		if err := s.cached.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("list %T: %w", kind, err)
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			object := item.(client.Object)
			namespace := object.GetNamespace()
			if _, known := found[namespace]; !known {
				found[namespace] = nil
			}
			if object.GetDeletionTimestamp() != nil {
				return nil
			}
			gvk, err := apiutil.GVKForObject(object, s.writer.Scheme())
			if err != nil {
				return err
			}
			named := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: object.GetName(), UID: object.GetUID()}}
			named.SetGroupVersionKind(gvk)
			found[namespace] = append(found[namespace], named)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read %T: %w", kind, err)
		}
	}
	return found, nil
}
