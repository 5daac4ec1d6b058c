// SPDX-License-Identifier: Apache-2.0

package base

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/engine/fair"
)

// Options returns the options of a controller that reconciles up to workers objects at a time, each
// for up to timeout. Failing objects back off as RateLimiter says, and no namespace delays the
// others: see newQueue.
func Options(workers int, timeout time.Duration) controller.Options {
	return controller.Options{
		RateLimiter:             RateLimiter(),
		NewQueue:                newQueue,
		MaxConcurrentReconciles: workers,
		ReconciliationTimeout:   timeout,
	}
}

// newQueue returns a queue that hands out the objects of all namespaces in turn. name is that of
// the controller, which its metrics carry.
func newQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	type request = reconcile.Request
	queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[request]{
		Name: name, Queue: fair.NewQueue(namespaceOf), MetricsProvider: queueMetrics{},
	})
	delaying := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[request]{
		Name: name, Queue: queue, MetricsProvider: queueMetrics{},
	})
	return promptShutDown{workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[request]{
		Name: name, DelayingQueue: delaying,
	})}
}

func namespaceOf(request reconcile.Request) string { return request.Namespace }

// promptShutDown is a queue that hands out nothing after it was shut down. client-go's queues hand
// out the rest, and each reconciliation of it would fail because the process is ending.
type promptShutDown struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Get waits for a request. It reports whether the queue was shut down.
func (q promptShutDown) Get() (reconcile.Request, bool) {
	request, ended := q.TypedRateLimitingInterface.Get()
	if !ended && q.ShuttingDown() {
		q.Done(request)
		return reconcile.Request{}, true
	}
	return request, ended
}
