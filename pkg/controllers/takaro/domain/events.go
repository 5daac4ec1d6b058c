// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// Reasons of events. Trouble is told with the reason of the condition Ready.
const (
	eventCreated        = "DomainCreated"
	eventAdopted        = "DomainAdopted"
	eventVanished       = "DomainVanished"
	eventRemainsRemoved = "RemainsRemoved"
	eventDriftCorrected = "DriftCorrected"
	eventDeleted        = "DomainDeleted"
	eventDisabled       = "DomainDisabled"
	eventLeftInTakaro   = "LeftInTakaro"
	eventRecovered      = "Recovered"
)

// eventAction is what the controller was doing, for the events API.
const eventAction = "Reconcile"

var (
	objectsCreated = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_takaro_objects_created_total",
		Help: "Objects made in Takaro.",
	}, []string{"kind"})
	objectsDeleted = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "roadstead_takaro_objects_deleted_total",
		Help: "Objects removed for good from Takaro.",
	}, []string{"kind"})
	domainsCreated = objectsCreated.WithLabelValues("Domain")
	domainsDeleted = objectsDeleted.WithLabelValues("Domain")
)

func init() {
	metrics.Registry.MustRegister(objectsCreated, objectsDeleted)
}

// note tells people of something that happened as it should.
func (r *reconciler) note(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.domain, nil, corev1.EventTypeNormal, reason, eventAction, format, args...)
}

// warn tells people of something that should not have happened.
func (r *reconciler) warn(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.domain, nil, corev1.EventTypeWarning, reason, eventAction, format, args...)
}

func join(fields []string) string { return strings.Join(fields, ", ") }
