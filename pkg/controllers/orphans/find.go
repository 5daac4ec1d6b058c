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

// find returns the objects that nobody deletes yet, by namespace, and how many namespaces hold any object.
func (s *sweeper) find(ctx context.Context) (found map[string][]*metav1.PartialObjectMetadata, holding int, err error) {
	found, all := map[string][]*metav1.PartialObjectMetadata{}, map[string]bool{}
	for _, kind := range s.kinds {
		list := kind.DeepCopyObject().(client.ObjectList)
		// Nothing of the cache is kept or changed, so it need not be copied.
		if err := s.cached.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, 0, fmt.Errorf("listing %T: %w", kind, err)
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			object := item.(client.Object)
			all[object.GetNamespace()] = true
			if object.GetDeletionTimestamp() != nil {
				return nil
			}
			gvk, err := apiutil.GVKForObject(object, s.writer.Scheme())
			if err != nil {
				return err
			}
			named := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: object.GetNamespace(), Name: object.GetName(), UID: object.GetUID()}}
			named.SetGroupVersionKind(gvk)
			found[named.Namespace] = append(found[named.Namespace], named)
			return nil
		})
		if err != nil {
			return nil, 0, fmt.Errorf("reading %T: %w", kind, err)
		}
	}
	return found, len(all), nil
}
