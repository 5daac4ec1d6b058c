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

// maxEarlier is the maximum number of states of a CRD that are kept between two reconciliations.
const maxEarlier = 16

// permission contains the annotations of a CRD at a generation. It applies to later changes only.
// Otherwise a change could allow itself.
type permission struct {
	generation      int64
	policy, allowed string
}

// earlier records the annotations that were observed on CRDs. The queue merges events, so a
// permission and the change that it allows would otherwise look like one change. After a start it
// is empty, and the annotations in the snapshots are used.
type earlier struct {
	mu   sync.Mutex
	seen map[types.UID][]permission
}

func newEarlier() *earlier { return &earlier{seen: map[types.UID][]permission{}} }

// note records the annotations of a CRD in an event.
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

// of returns the recorded annotations of a CRD.
func (e *earlier) of(uid types.UID) []permission {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen[uid])
}

// forget removes the recorded annotations of a CRD that no longer exists.
func (e *earlier) forget(uid types.UID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.seen, uid)
}

// noting returns a predicate that records each state of a CRD and accepts what inner accepts.
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
