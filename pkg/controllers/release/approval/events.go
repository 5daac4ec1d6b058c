// SPDX-License-Identifier: Apache-2.0

package approval

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/text"
)

// Reasons of events. The end of an Approval is told with the reason of its condition Finished.
const (
	eventRequested = "ApprovalRequested"
	eventNotMade   = "ApprovalNotMade"
	eventJudged    = "JudgedLate"
)

// eventAction is what the controller was doing, for the events API.
const eventAction = "Reconcile"

// longestNote is how many bytes the note of an event may have; longer ones are refused by the API server.
const longestNote = 1000

func note(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	recorder.Eventf(about, related, corev1.EventTypeNormal, reason, eventAction, "%s", text.Bytes(message, longestNote))
}

func warn(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	recorder.Eventf(about, related, corev1.EventTypeWarning, reason, eventAction, "%s", text.Bytes(message, longestNote))
}

// tellEnd makes the event of a final decision: a warning unless it was approved.
func tellEnd(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	if reason == v1alpha1.ReasonApproved {
		note(recorder, about, related, reason, message)
		return
	}
	warn(recorder, about, related, reason, message)
}
