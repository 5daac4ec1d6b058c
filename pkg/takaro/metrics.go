// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics of a pool. The label endpoint is the host (with its port when it has one), path is a pattern, so the number of series
// grows with the number of endpoints only.
type metrics struct {
	requests      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	tokenRenewals *prometheus.CounterVec
	circuitOpen   *prometheus.GaugeVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		requests: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roadstead_takaro_requests_total",
			Help: "Requests sent to Takaro, each attempt counted; code is the HTTP status, or \"error\" without an answer.",
		}, []string{"endpoint", "method", "path", "code"})),
		duration: register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roadstead_takaro_request_duration_seconds",
			Help:    "Time from the start of a request to Takaro to the end of its answer.",
			Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180},
		}, []string{"endpoint", "method", "path"})),
		tokenRenewals: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roadstead_takaro_token_renewals_total",
			Help: "Domain tokens got from Takaro.",
		}, []string{"endpoint"})),
		circuitOpen: register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "roadstead_takaro_circuit_open",
			Help: "1 while an endpoint does not answer and is only probed.",
		}, []string{"endpoint"})),
	}
}

// register gives the collector that is registered under that name: c, or the one of an earlier pool.
func register[C prometheus.Collector](r prometheus.Registerer, c C) C {
	if r == nil {
		return c
	}
	err := r.Register(c)
	if err == nil {
		return c
	}
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		if existing, ok := already.ExistingCollector.(C); ok {
			return existing
		}
	}
	panic(err)
}

// observe counts one exchange; status 0 means that there was no answer.
func (m *metrics) observe(host string, k call, status int, took time.Duration) {
	code := "error"
	if status != 0 {
		code = strconv.Itoa(status)
	}
	m.requests.WithLabelValues(host, k.method, k.pattern, code).Inc()
	m.duration.WithLabelValues(host, k.method, k.pattern).Observe(took.Seconds())
}

func (m *metrics) forget(host string) {
	labels := prometheus.Labels{"endpoint": host}
	m.requests.DeletePartialMatch(labels)
	m.duration.DeletePartialMatch(labels)
	m.tokenRenewals.DeletePartialMatch(labels)
	m.circuitOpen.DeletePartialMatch(labels)
}
