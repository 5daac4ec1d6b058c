// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
)

// maxLeft is the maximum number of domains that a status lists as left.
const maxLeft = 1000

// describe sets the condition from the rest of the status and the state of this process.
func (k *Keeper) describe(e *v1alpha1.TakaroEndpoint) {
	e.Status.ObservedGeneration = e.Generation
	ready := metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, ObservedGeneration: e.Generation,
		Reason: v1alpha1.ReasonNothingHeld, Message: "No change at this address waits for a release.",
	}
	for _, kind := range kinds {
		if held := holdIn(&e.Status, kind.name); held.Held > 0 {
			ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, kind.reason, kind.message(e, held)
			break
		}
	}
	if reason, message := k.unidentified(e); reason != "" {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, reason, message
	}
	// Every reason that blocks changes at an address requires a release or an acceptance.
	conditions.Set(&e.Status.Conditions, ready, func(string) bool { return true })
}

// leave adds domains that remain in Takaro, without duplicates. It reports whether it dropped the
// oldest ones because the list is full.
func leave(status *v1alpha1.TakaroEndpointStatus, object string, ids []string, now time.Time) (dropped bool) {
	for _, id := range ids {
		if !slices.ContainsFunc(status.Left, func(l v1alpha1.LeftDomain) bool { return l.ID == id }) {
			status.Left = append(status.Left, v1alpha1.LeftDomain{ID: id, Object: object, Since: metav1.NewTime(now.UTC().Truncate(time.Second))})
		}
	}
	beyond := max(0, len(status.Left)-maxLeft)
	status.Left = status.Left[beyond:]
	return beyond > 0
}
