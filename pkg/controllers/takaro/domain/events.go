// SPDX-License-Identifier: Apache-2.0

package domain

import (
	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
)

// Reasons of events. Trouble is told with the reason of the condition Ready.
const (
	eventCreated        = "DomainCreated"
	eventAdopted        = "DomainAdopted"
	eventVanished       = "DomainVanished"
	eventRegained       = "DomainRegained"
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
	domainsCreated = counts.Created.WithLabelValues("Domain")
	domainsDeleted = counts.Deleted.WithLabelValues("Domain")
)

// note emits an event of type Normal.
func (r *reconciler) note(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.domain, nil, corev1.EventTypeNormal, reason, eventAction, format, args...)
}

// warn emits an event of type Warning.
func (r *reconciler) warn(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.domain, nil, corev1.EventTypeWarning, reason, eventAction, format, args...)
}
