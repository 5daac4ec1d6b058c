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
// for up to timeout. Failing objects back off as defined by RateLimiter, and no namespace delays
// the others: see newQueue.
func Options(workers int, timeout time.Duration) controller.Options {
	return controller.Options{
		RateLimiter:             RateLimiter(),
		NewQueue:                newQueue,
		MaxConcurrentReconciles: workers,
		ReconciliationTimeout:   timeout,
	}
}

// newQueue returns a queue that serves all namespaces in turn. name is the name of the controller,
// which is a label of its metrics.
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

// promptShutDown is a queue that returns no requests after it was shut down. The queues of
// client-go return the remaining requests, and each of these reconciliations would fail because the
// process is ending.
type promptShutDown struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// Get waits for a request. The second result reports whether the queue was shut down.
func (q promptShutDown) Get() (reconcile.Request, bool) {
	request, ended := q.TypedRateLimitingInterface.Get()
	if !ended && q.ShuttingDown() {
		q.Done(request)
		return reconcile.Request{}, true
	}
	return request, ended
}
