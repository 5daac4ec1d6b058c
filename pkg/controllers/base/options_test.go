// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	// As in the binary, which links k8s.io/apiserver: this package then provides client-go's
	// default metrics.
	_ "k8s.io/component-base/metrics/prometheus/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

func requestFor(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// crowd returns 2,000 requests of one namespace, and one request of another namespace that is
// queued last.
func crowd() (requests []reconcile.Request, lonely reconcile.Request) {
	for n := range 2000 {
		requests = append(requests, requestFor("crowded", fmt.Sprint(n)))
	}
	lonely = requestFor("lonely", "only")
	return append(requests, lonely), lonely
}

// run starts a controller with one worker and all requests queued, and returns the first n requests
// that it reconciles.
func run(t *testing.T, name string, n int, requests []reconcile.Request) []reconcile.Request {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var order []reconcile.Request
	options := Options(1, Timeout)
	options.Reconciler = reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
		if order = append(order, request); len(order) == n {
			cancel()
			<-ctx.Done()
		}
		return reconcile.Result{}, nil
	})
	runs, err := controller.NewUnmanaged(name, options)
	require.NoError(t, err)
	require.NoError(t, runs.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		for _, request := range requests {
			queue.Add(request)
		}
		return nil
	})))
	require.NoError(t, runs.Start(ctx))
	return order
}

func TestControllerServesNamespacesInTurn(t *testing.T) {
	requests, lonely := crowd()
	order := run(t, "fair", 3, requests)
	require.GreaterOrEqual(t, len(order), 3)
	assert.Equal(t, []reconcile.Request{requestFor("crowded", "0"), lonely, requestFor("crowded", "1")}, order[:3])
}

// A process that is ending does not reconcile the requests that are still queued.
func TestQueueHandsOutNothingAfterShutDown(t *testing.T) {
	requests, _ := crowd()
	queue := newQueue("shut-down", RateLimiter())
	for _, request := range requests {
		queue.Add(request)
	}
	var workers sync.WaitGroup
	queue.ShutDown()
	for range 3 {
		workers.Go(func() {
			_, ended := queue.Get()
			assert.True(t, ended)
		})
	}
	workers.Wait()
}

func TestQueueHasTheMetricsOfItsController(t *testing.T) {
	requests, _ := crowd()
	queue := newQueue("measured", RateLimiter())
	t.Cleanup(queue.ShutDown)
	for _, request := range requests {
		queue.Add(request)
	}
	queue.AddRateLimited(requestFor("later", "one"))
	request, _ := queue.Get()
	queue.Done(request)
	for name, want := range map[string]float64{
		"workqueue_depth": 2000, "workqueue_adds_total": 2001, "workqueue_retries_total": 1,
		"workqueue_queue_duration_seconds": 1, "workqueue_work_duration_seconds": 1,
		"workqueue_unfinished_work_seconds": 0, "workqueue_longest_running_processor_seconds": 0,
	} {
		assert.InDelta(t, want, metricOf(t, name, "measured"), 0, name)
	}
}

// A controller with its own options would have none of these properties.
func TestEveryControllerHasTheOptions(t *testing.T) {
	controllers := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		built := strings.Count(string(source), "NewControllerManagedBy(")
		assert.Equal(t, built, strings.Count(string(source), "WithOptions(base.Options("), path)
		controllers += built
		return err
	}))
	assert.Positive(t, controllers)
}

// metricOf returns the value of a metric of a controller, or the sample count of a histogram.
func metricOf(t *testing.T, name, controller string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if family.GetName() == name && label.GetName() == "controller" && label.GetValue() == controller {
					return metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
				}
			}
		}
	}
	require.Fail(t, "no such metric", "%s of %s", name, controller)
	return 0
}
