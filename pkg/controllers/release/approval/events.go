// SPDX-License-Identifier: Apache-2.0

package approval

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// Reasons of events. The end of an Approval is reported with the reason of its condition Finished.
const (
	eventRequested = "ApprovalRequested"
	eventNotMade   = "ApprovalNotMade"
	eventJudged    = "JudgedLate"
)

func note(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	base.Emit(recorder, about, related, corev1.EventTypeNormal, reason, message)
}

func warn(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	base.Emit(recorder, about, related, corev1.EventTypeWarning, reason, message)
}

// tellEnd emits the event for a final decision. Its type is Warning unless the change was approved.
func tellEnd(recorder events.EventRecorder, about, related runtime.Object, reason, message string) {
	if reason == v1alpha1.ReasonApproved {
		note(recorder, about, related, reason, message)
		return
	}
	warn(recorder, about, related, reason, message)
}
