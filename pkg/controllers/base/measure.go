// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/base/flight"
)

var (
	reconciles = promauto.With(metrics.Registry).NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_reconcile_total",
		Help: "Reconciliations by kind and result (done, waiting, failed; outside if what an object names failed, as a Takaro, a " +
			"Redis or a chart repository).",
	}, []string{"kind", "result"})
	durations = promauto.With(metrics.Registry).NewHistogramVec(prometheus.HistogramOpts{
		Name:    "roadstead_reconcile_duration_seconds",
		Help:    "Duration of one reconciliation.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
	}, []string{"kind"})
)

// Measure counts and times the reconciliations of a kind. See also LongestRunning.
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
	var caused interface{ Outside() bool }
	switch {
	case errors.Is(err, flight.ErrLate), errors.As(err, &caused) && caused.Outside():
		// Any user can refer to an endpoint that does not respond: that is not a failure of the
		// controller.
		return "outside"
	case err != nil:
		return "failed"
	case result.RequeueAfter > 0:
		return "waiting"
	default:
		return "done"
	}
}
