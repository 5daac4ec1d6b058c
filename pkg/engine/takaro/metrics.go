// SPDX-License-Identifier: Apache-2.0

package takaro

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// maxTenantLabels is the maximum number of hosts that only tenants name with their own series.
	maxTenantLabels = 100
	// otherHosts is the label of all further hosts.
	otherHosts = "other"
)

// metrics are the metrics of a pool. The label endpoint is the host, with its port if it has one, and path is a pattern.
// Labels contain nothing of the credentials.
type metrics struct {
	requests      *prometheus.CounterVec
	duration      *prometheus.HistogramVec
	tokenRenewals *prometheus.CounterVec
	circuitOpen   *prometheus.GaugeVec

	mu   sync.Mutex
	open map[[2]string]int // open circuits by endpoint and scope
}

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		requests: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roadstead_takaro_requests_total",
			Help: "Requests sent to Takaro, including retries; code is the HTTP status, or \"error\" without a response.",
		}, []string{"endpoint", "method", "path", "code"})),
		duration: register(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "roadstead_takaro_request_duration_seconds",
			Help:    "Time from the start of a request to Takaro to the end of its response.",
			Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180},
		}, []string{"endpoint", "method", "path"})),
		tokenRenewals: register(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "roadstead_takaro_token_renewals_total",
			Help: "Domain tokens requested from Takaro.",
		}, []string{"endpoint"})),
		circuitOpen: register(r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "roadstead_takaro_circuit_open",
			Help: "Credentials for an endpoint that does not respond to them and is only probed. The scope distinguishes the installation's " +
				"credentials from those of tenants.",
		}, []string{"endpoint", "scope"})),
		open: map[[2]string]int{},
	}
}

// labelOf returns the label of a new endpoint: its host, or otherHosts if tenants have named too many hosts. The caller
// holds p.mu.
func (p *Pool) labelOf(host string, own bool) string {
	if !own {
		return host
	}
	labels := map[string]bool{}
	for _, c := range p.clients {
		if c.endpoint.label == host {
			return host
		}
		if c.endpoint.own {
			labels[c.endpoint.label] = true
		}
	}
	if delete(labels, otherHosts); len(labels) >= maxTenantLabels {
		return otherHosts
	}
	return host
}

func (e *endpoint) scope() string {
	if e.own {
		return "tenant"
	}
	return "installation"
}

func (m *metrics) circuitOpened(e *endpoint) { m.countCircuit(e, 1) }
func (m *metrics) circuitClosed(e *endpoint) { m.countCircuit(e, -1) }

func (m *metrics) countCircuit(e *endpoint, change int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	labels := [2]string{e.label, e.scope()}
	if m.open[labels] += change; m.open[labels] > 0 {
		m.circuitOpen.WithLabelValues(labels[:]...).Set(float64(m.open[labels]))
		return
	}
	delete(m.open, labels)
	if e.dropped() { // dropped endpoints have no series
		m.circuitOpen.DeleteLabelValues(labels[:]...)
		return
	}
	m.circuitOpen.WithLabelValues(labels[:]...).Set(0)
}

// register returns the collector that is registered under the name: c, or that of an earlier pool.
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

// observe counts one exchange; status 0 means that there was no response.
func (m *metrics) observe(label string, k call, status int, took time.Duration) {
	code := "error"
	if status != 0 {
		code = strconv.Itoa(status)
	}
	m.requests.WithLabelValues(label, k.method, k.pattern, code).Inc()
	m.duration.WithLabelValues(label, k.method, k.pattern).Observe(took.Seconds())
}

func (m *metrics) forget(label string) {
	labels := prometheus.Labels{"endpoint": label}
	m.requests.DeletePartialMatch(labels)
	m.duration.DeletePartialMatch(labels)
	m.tokenRenewals.DeletePartialMatch(labels)
	m.circuitOpen.DeletePartialMatch(labels)
}
