// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Queue enqueues objects of a controller whose outside state changed. Objects that are added before
// the controller has started are dropped, because the controller reconciles all objects when it
// starts.
type Queue struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Attach sets the queue of the controller. It is used as a source of the controller.
func (q *Queue) Attach(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = queue
	return nil
}

// Add enqueues an object.
func (q *Queue) Add(object client.Object) {
	q.AddAll([]reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(object)}})
}

// AddAll enqueues several objects.
func (q *Queue) AddAll(requests []reconcile.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue == nil {
		return
	}
	for _, request := range requests {
		q.queue.Add(request)
	}
}

// AddAfter enqueues an object after a delay. If it is added again in the meantime, it is reconciled
// once.
func (q *Queue) AddAfter(object client.Object, after time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue != nil {
		q.queue.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)}, after)
	}
}
