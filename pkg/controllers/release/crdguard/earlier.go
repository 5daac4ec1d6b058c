// SPDX-License-Identifier: Apache-2.0

package crdguard

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	crdpolicy "roadstead.dev/roadstead/pkg/engine/crd/policy"
)

// maxEarlier is how many states of a definition are remembered between two looks.
const maxEarlier = 16

// permission is what the annotations of a definition said at a generation. It counts for changes that followed it: one that
// came with a change would let the change allow itself.
type permission struct {
	generation      int64
	policy, allowed string
}

// earlier remembers the annotations that were seen on definitions. The queue merges events, so without it a permission and the
// change that it is for look like one change. It is empty after a start: then what the snapshots say counts.
type earlier struct {
	mu   sync.Mutex
	seen map[types.UID][]permission
}

func newEarlier() *earlier { return &earlier{seen: map[types.UID][]permission{}} }

// note remembers the annotations of a definition as it is in an event.
func (e *earlier) note(object client.Object) {
	now := permission{
		generation: object.GetGeneration(),
		policy:     bounded(annotation(object, crdpolicy.PolicyAnnotation)),
		allowed:    bounded(annotation(object, crdpolicy.AllowChangeAnnotation)),
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if slices.Contains(e.seen[object.GetUID()], now) {
		return
	}
	states := append(e.seen[object.GetUID()], now)
	e.seen[object.GetUID()] = slices.Clone(states[max(0, len(states)-maxEarlier):])
}

// of returns what was seen of a definition.
func (e *earlier) of(uid types.UID) []permission {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen[uid])
}

// forget drops what was seen of a definition that no longer exists.
func (e *earlier) forget(uid types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.seen, uid)
}

// noting returns a predicate that notes each state of a definition and passes what another predicate passes.
func (e *earlier) noting(inner predicate.Predicate) predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(change event.CreateEvent) bool {
			e.note(change.Object)
			return inner.Create(change)
		},
		UpdateFunc: func(change event.UpdateEvent) bool {
			e.note(change.ObjectOld)
			e.note(change.ObjectNew)
			return inner.Update(change)
		},
		DeleteFunc: func(change event.DeleteEvent) bool {
			e.forget(change.Object.GetUID())
			return inner.Delete(change)
		},
		GenericFunc: inner.Generic,
	}
}
