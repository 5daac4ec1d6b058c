// SPDX-License-Identifier: Apache-2.0

package user

import (
	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
)

// Reasons of events.
const (
	eventCreated        = "UserCreated"
	eventFound          = "UserFound"
	eventAdopted        = "UserAdopted"
	eventVanished       = "UserVanished"
	eventDriftCorrected = "DriftCorrected"
	eventRoleUnassigned = "RoleUnassigned"
	eventDeleted        = "UserDeleted"
	eventLeftInTakaro   = "LeftInTakaro"
	eventRecovered      = "Recovered"
)

// eventAction is what the controller was doing, for the events API.
const eventAction = "Reconcile"

var (
	usersCreated = counts.Created.WithLabelValues("User")
	usersDeleted = counts.Deleted.WithLabelValues("User")
)

// note tells people of something that happened as it should.
func (r *reconciler) note(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.user, nil, corev1.EventTypeNormal, reason, eventAction, format, args...)
}

// warn tells people of something that should not have happened.
func (r *reconciler) warn(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.user, nil, corev1.EventTypeWarning, reason, eventAction, format, args...)
}

// announce emits an event if the User began to wait for a person, or is Ready after it did. That it waits for its Domain is no
// event.
func (r *reconciler) announce(a *attempt, stored *v1alpha1.User) {
	switch stalled, recovered := conditions.Turn(stored.Status.Conditions, a.user.Status.Conditions); {
	case stalled != nil:
		r.warn(a, stalled.Reason, "%s", stalled.Message)
	case recovered:
		r.note(a, eventRecovered, "the User is Ready again")
	}
}
