// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/test/chaos/check"
)

// sawDeletion notes a deletion that a watch, or the list after one, reports.
func (o *Observer) sawDeletion(event any) {
	if missed, ok := event.(cache.DeletedFinalStateUnknown); ok {
		event = missed.Obj
	}
	if in, ok := event.(*unstructured.Unstructured); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.deleted[string(in.GetUID())] = true
	}
}

// returned reports an object whose deletion was reported before. No object has the UID of a deleted one.
func (o *Observer) returned(object check.Object) []check.Violation {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.deleted[object.UID] {
		return nil
	}
	return []check.Violation{check.Returned(object)}
}
