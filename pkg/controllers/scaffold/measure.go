// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var (
	reconciles = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_reconcile_total",
		Help: "Reconciliations by kind and result (done, waiting, failed).",
	}, []string{"kind", "result"})
	durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "roadstead_reconcile_duration_seconds",
		Help:    "Duration of one reconciliation.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
	}, []string{"kind"})
)

func init() {
	metrics.Registry.MustRegister(reconciles, durations)
}

// Measure counts and times the reconciliations of a kind; see also LongestRunning.
func Measure(kind string, inner reconcile.Reconciler) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		defer running.begin(kind)() // also after a panic
		start := time.Now()
		result, err := inner.Reconcile(ctx, request)
		durations.WithLabelValues(kind).Observe(time.Since(start).Seconds())
		reconciles.WithLabelValues(kind, outcome(result, err)).Inc()
		return result, err
	})
}

func outcome(result reconcile.Result, err error) string {
	switch {
	case err != nil:
		return "failed"
	case result.RequeueAfter > 0:
		return "waiting"
	default:
		return "done"
	}
}
