// SPDX-License-Identifier: Apache-2.0

package keeper

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

// States of a value in the metric.
const (
	stateCurrent    = "current"
	stateRemembered = "remembered"
	stateMissing    = "missing"
)

// onceSecret is the full name roadstead_once_secret.
var onceSecret = metrics.NewGaugeVec(&metrics.GaugeOpts{
	Namespace: "roadstead",
	Name:      "once_secret",
	Help: "1 for each value of a Secret that is generated once, by its fingerprint: state is current for a value in the Secret, " +
		"remembered for one that only this process knows, missing for one that is in use and was not found.",
	StabilityLevel: metrics.ALPHA,
}, []string{"secret", "fingerprint", "state"})

// restored is the full name roadstead_once_secret_restored_total.
var restored = metrics.NewCounterVec(&metrics.CounterOpts{
	Namespace: "roadstead",
	Name:      "once_secret_restored_total",
	Help: "How often this process restored values of a Secret that is generated once, because the Secret was deleted or " +
		"overwritten.",
	StabilityLevel: metrics.ALPHA,
}, []string{"secret"})

func init() {
	legacyregistry.MustRegister(onceSecret, restored)
}

// Collectors returns the metrics, for a process that does not serve the legacy registry.
func Collectors() []prometheus.Collector { return []prometheus.Collector{onceSecret, restored} }

// published are the series of one Secret.
type published struct {
	mu     sync.Mutex
	states map[string]string
}

// set replaces the series.
func (p *published) set(k *Keeper, found observed) {
	states := map[string]string{}
	for _, print := range found.lost {
		states[print] = stateMissing
	}
	for _, print := range k.prints(found.restorable) {
		states[print] = stateRemembered
	}
	for _, print := range k.prints(found.values) {
		states[print] = stateCurrent
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for print, state := range p.states {
		if states[print] != state {
			onceSecret.DeleteLabelValues(k.spec.Name, print, state)
		}
	}
	for print, state := range states {
		onceSecret.WithLabelValues(k.spec.Name, print, state).Set(1)
	}
	p.states = states
}
