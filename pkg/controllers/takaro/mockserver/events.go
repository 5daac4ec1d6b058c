// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
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
)

var (
	gameServersCreated = counts.Created.WithLabelValues("MockServer")
	gameServersDeleted = counts.Deleted.WithLabelValues("MockServer")
)

// noteOne is Note for one of the game servers, and warnOne is Warn for one. They set the pod as the
// related object of the event. The events API treats events with the same reason that differ only
// in their text as one, and keeps the first text.
func (r *reconciler) noteOne(a *attempt, ordinal int, reason, format string, args ...any) {
	base.Emit(r.Recorder, a.server, podNamed(a.server, ordinal), corev1.EventTypeNormal, reason, fmt.Sprintf(format, args...))
}

func (r *reconciler) warnOne(a *attempt, ordinal int, reason, format string, args ...any) {
	base.Emit(r.Recorder, a.server, podNamed(a.server, ordinal), corev1.EventTypeWarning, reason, fmt.Sprintf(format, args...))
}

// podNamed returns a reference to the pod of a game server for an event. The pod need not exist.
func podNamed(server *v1alpha1.MockServer, ordinal int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: server.Namespace, Name: podName(server, ordinal)}}
}
