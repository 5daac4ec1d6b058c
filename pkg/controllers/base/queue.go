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

// Queue lets what looks at the world outside wake objects of a controller. What is added before the controller has
// started is dropped: it reconciles everything at its start.
type Queue struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Attach takes the controller's queue; it is a source of the controller.
func (q *Queue) Attach(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queue = queue
	return nil
}

// Add lets the controller reconcile an object.
func (q *Queue) Add(object client.Object) {
	q.AddAll([]reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(object)}})
}

// AddAll lets the controller reconcile several objects.
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

// AddAfter is Add after a time. What is added again meanwhile is reconciled once.
func (q *Queue) AddAfter(object client.Object, after time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.queue != nil {
		q.queue.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)}, after)
	}
}
