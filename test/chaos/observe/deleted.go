// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/test/chaos/check"
)

// sawDeletion records a deletion that a watch, or the list after it, reports.
func (o *Observer) sawDeletion(event any) {
	if missed, ok := event.(cache.DeletedFinalStateUnknown); ok {
		event = missed.Obj
	}
	if in, ok := event.(*unstructured.Unstructured); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.deleted[string(in.GetUID())] = check.Ended{Object: Object(in), At: time.Now()}
	}
}

// Ended returns the objects whose deletion the watches have reported.
func (o *Observer) Ended() []check.Ended {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Values(o.deleted))
}

// returned reports an object whose deletion was reported before, since the UID of a deleted object
// is never reused.
func (o *Observer) returned(object check.Object) []check.Violation {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, deleted := o.deleted[object.UID]; !deleted {
		return nil
	}
	return []check.Violation{check.Returned(object)}
}
