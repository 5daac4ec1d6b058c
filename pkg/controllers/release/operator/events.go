// SPDX-License-Identifier: Apache-2.0

package operator

import (
	corev1 "k8s.io/api/core/v1"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// Reasons of events. Trouble is told with the reason of the condition RepositoryReachable.
const (
	eventDiscovered     = "VersionDiscovered"
	eventVersionRefused = "VersionRefused"
	eventVersionDeleted = "VersionDeleted"
	eventRecovered      = "Recovered"
)

// eventAction is what the controller was doing, for the events API.
const eventAction = "Reconcile"

// note tells people of something that happened as it should.
func (r *reconciler) note(operator *v1alpha1.Operator, reason, format string, args ...any) {
	r.recorder.Eventf(operator, nil, corev1.EventTypeNormal, reason, eventAction, format, args...)
}

// warn tells people of something that should not have happened.
func (r *reconciler) warn(operator *v1alpha1.Operator, reason, format string, args ...any) {
	r.recorder.Eventf(operator, nil, corev1.EventTypeWarning, reason, eventAction, format, args...)
}
