// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// conditionReady is the condition that every kind has.
	conditionReady = "Ready"
	// ReasonPending is the reason of the condition Ready of an object that no controller has processed.
	ReasonPending = "Pending"
)

// FirstStatus describes the status of a new object until its controller writes it. Tools that read
// conditions, such as kstatus, report an object without conditions as ready, so an installation
// would succeed although no controller is running.
type FirstStatus[T Object] struct {
	// Controller is the name of the controller that writes the status, as in its log.
	Controller string
	// Conditions returns a pointer to the conditions.
	Conditions func(T) *[]metav1.Condition
	// SetPhase sets the phase of an object that no controller has processed. Optional: a kind may have no phase.
	SetPhase func(T)
}

// begin sets the condition Ready to Unknown. Its observedGeneration and that of the status remain
// 0, because no generation was observed.
func (f *FirstStatus[T]) begin(object T) {
	*f.Conditions(object) = []metav1.Condition{{
		Type: conditionReady, Status: metav1.ConditionUnknown, Reason: ReasonPending, LastTransitionTime: metav1.Now(),
		Message: fmt.Sprintf("The controller %s has not processed this object yet. "+
			"If this does not change, check that the pods of roadstead-controller are running, and check their logs.", f.Controller),
	}}
	if f.SetPhase != nil {
		f.SetPhase(object)
	}
}
