// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/controllers/takaro/counts"
)

// Reasons of events.
const (
	eventRegistered      = "GameServerRegistered"
	eventRemoved         = "GameServerRemoved"
	eventNameTaken       = "GameServerNameTaken"
	eventPodRestarted    = "PodRestarted"
	eventSimulationReset = "SimulationReset"
	eventSetTaken        = "StatefulSetTakenOver"
	eventLeftInTakaro    = "LeftInTakaro"
	eventLeftInRedis     = "LeftInRedis"
	eventRecovered       = "Recovered"
)

// eventAction is what the controller was doing, for the events API.
const eventAction = "Reconcile"

var (
	gameServersCreated = counts.Created.WithLabelValues("MockServer")
	gameServersDeleted = counts.Deleted.WithLabelValues("MockServer")
)

// note tells people of something that happened as it should.
func (r *reconciler) note(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.server, nil, corev1.EventTypeNormal, reason, eventAction, format, args...)
}

// noteOne is note about one of the game servers, and warnOne is warn about one. They relate the event to its pod: of events
// with one reason the events API counts those that differ only in their text as one, and keeps the first text.
func (r *reconciler) noteOne(a *attempt, ordinal int, reason, format string, args ...any) {
	r.recorder.Eventf(a.server, podNamed(a.server, ordinal), corev1.EventTypeNormal, reason, eventAction, format, args...)
}

func (r *reconciler) warnOne(a *attempt, ordinal int, reason, format string, args ...any) {
	r.recorder.Eventf(a.server, podNamed(a.server, ordinal), corev1.EventTypeWarning, reason, eventAction, format, args...)
}

// podNamed is the pod of a game server as an event names it, whether it is there or not.
func podNamed(server *v1alpha1.MockServer, ordinal int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: server.Namespace, Name: podName(server, ordinal)}}
}

// warn tells people of something that should not have happened.
func (r *reconciler) warn(a *attempt, reason, format string, args ...any) {
	r.recorder.Eventf(a.server, nil, corev1.EventTypeWarning, reason, eventAction, format, args...)
}

// announce emits an event if the MockServer began to wait for a user, or is Ready after it did. That it waits for its pods or
// for other objects is no event: every new MockServer does.
func (r *reconciler) announce(a *attempt, stored *v1alpha1.MockServer) {
	switch stalled, recovered := conditions.Turn(stored.Status.Conditions, a.server.Status.Conditions); {
	case stalled != nil:
		r.warn(a, stalled.Reason, "%s", stalled.Message)
	case recovered:
		r.note(a, eventRecovered, "the MockServer is Ready again")
	}
}
