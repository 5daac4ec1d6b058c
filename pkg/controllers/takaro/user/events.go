// SPDX-License-Identifier: Apache-2.0

package user

import (
	corev1 "k8s.io/api/core/v1"

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
