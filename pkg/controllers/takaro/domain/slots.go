// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// slotWait is the delay between attempts to get one of the create slots; waiting blocks no worker.
// It applies only if the Domain that was woken did not use the slot.
const slotWait = 5 * time.Second

// waiting queues the Domains that wait to create a domain, in their order of arrival.
type waiting struct {
	mu    sync.Mutex
	names map[endpoint.Key][]types.NamespacedName
}

func (w *waiting) join(key endpoint.Key, name types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names == nil {
		w.names = map[endpoint.Key][]types.NamespacedName{}
	}
	if !slices.Contains(w.names[key], name) {
		w.names[key] = append(w.names[key], name)
	}
}

// next removes and returns the Domain that has waited longest.
func (w *waiting) next(key endpoint.Key) (name types.NamespacedName, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found = len(w.names[key]) > 0; found {
		name, w.names[key] = w.names[key][0], w.names[key][1:]
	}
	if len(w.names[key]) == 0 {
		delete(w.names, key)
	}
	return name, found
}

// reserve gets one of the create slots of the endpoint. The attempt keeps it until release. The
// reservation precedes the searches, which all waiting Domains would otherwise repeat.
func (r *reconciler) reserve(ctx context.Context, a *attempt) error {
	if a.create != nil {
		return nil
	}
	release, err := a.Client.CreateSlot(ctx)
	if errors.Is(err, takaro.ErrNoSlot) {
		r.waiting.join(a.Key, types.NamespacedName{Namespace: a.domain.Namespace, Name: a.domain.Name})
		return synced(v1alpha1.ReasonReconciling, "Waiting to create the domain: Takaro creates few domains at once.", slotWait)
	}
	if err != nil {
		return r.judge(a, "creating the domain in Takaro", err)
	}
	a.create = func() {
		release()
		if next, found := r.waiting.next(a.Key); found {
			woken := &v1alpha1.Domain{}
			woken.Namespace, woken.Name = next.Namespace, next.Name
			r.Queue.Add(woken)
		}
	}
	return nil
}

// release passes the slot to the Domain that has waited longest.
func (a *attempt) release() {
	if a.create != nil {
		a.create()
		a.create = nil
	}
}
