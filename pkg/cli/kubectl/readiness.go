// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/duration"
)

const (
	conditionReady    = "Ready"
	conditionFinished = "Finished"
	// phaseError is the phase of an object that a user has to correct, in every kind.
	phaseError = "Error"
)

// Reasons that this program sets if the object has none.
const (
	// reasonReady means that the object is ready, and that its conditions have no reason.
	reasonReady = "Ready"
	// reasonNoStatus means that no controller has set the status of the object.
	reasonNoStatus = "NoStatus"
	// reasonOutdated means that the conditions are about an earlier spec.
	reasonOutdated = "Outdated"
	// reasonDeleting means that the object is being deleted, and that no condition has a message.
	reasonDeleting = "Deleting"
	// reasonNotFound means that a referenced object does not exist.
	reasonNotFound = "NotFound"
	// reasonSecretMissing means that a referenced Secret does not exist, although the object is
	// ready.
	reasonSecretMissing = "SecretMissing"
)

// readiness is the state of an object according to its status.
type readiness struct {
	ready bool
	// finished is the condition Finished.
	finished        bool
	phase           string
	reason, message string
	// since is when the state started; zero if it is unknown.
	since time.Time
	// quiet is true if the object has no useful message, so that its events are used.
	quiet bool
}

// failed reports whether a user has to correct the object.
func (r readiness) failed() bool {
	return !r.ready && r.phase == phaseError && r.reason != reasonOutdated
}

// assess reads what every kind has: conditions, phase, observedGeneration. Objects of kinds without
// a status are ready if they exist.
func assess(k *kind, object *unstructured.Unstructured, now time.Time) readiness {
	found := readiness{since: object.GetCreationTimestamp().Time}
	found.phase, _, _ = unstructured.NestedString(object.Object, "status", "phase")
	conditions := conditionsOf(object)
	finished := condition(conditions, conditionFinished)
	ready := condition(conditions, conditionReady)
	found.finished = finished != nil && finished.Status == metav1.ConditionTrue
	if deleted := object.GetDeletionTimestamp(); deleted != nil {
		found.deleting(object, ready)
		return found
	}
	if ready == nil {
		ready = finished
	}
	switch {
	case ready == nil && !k.hasStatus():
		found.ready, found.reason = true, reasonReady
	case ready == nil:
		found.reason, found.quiet = reasonNoStatus, true
		found.message = fmt.Sprintf("no controller has set its status since it was created %s ago; if this does not change, check that "+
			"roadstead-controller is running", age(found.since, now))
	default:
		found.speak(object, ready)
	}
	return found
}

// speak sets the state from a condition.
func (r *readiness) speak(object *unstructured.Unstructured, of *metav1.Condition) {
	r.reason, r.message, r.since = of.Reason, oneLine(of.Message), of.LastTransitionTime.Time
	r.quiet = r.message == ""
	seen := observed(object, of)
	if of.Status != metav1.ConditionTrue {
		return
	}
	if seen >= object.GetGeneration() {
		r.ready = true
		return
	}
	r.reason = reasonOutdated
	r.message = fmt.Sprintf("its spec has generation %d, but the controller has observed %d; if this does not change, check that "+
		"roadstead-controller is running", object.GetGeneration(), seen)
	r.quiet = true
}

// deleting sets the state of an object that is being deleted, which is never ready.
func (r *readiness) deleting(object *unstructured.Unstructured, ready *metav1.Condition) {
	r.since = object.GetDeletionTimestamp().Time
	if ready != nil && ready.Status != metav1.ConditionTrue && ready.Message != "" {
		r.reason, r.message = ready.Reason, oneLine(ready.Message)
		return
	}
	r.reason, r.quiet = reasonDeleting, true
	r.message = "it is being deleted"
	if finalizers := object.GetFinalizers(); len(finalizers) > 0 {
		r.message += ", and waits for the removal of the finalizers " + strings.Join(finalizers, ", ")
	}
}

// observed returns the observed generation of a condition, otherwise that of the status, otherwise
// the current generation.
func observed(object *unstructured.Unstructured, of *metav1.Condition) int64 {
	if of.ObservedGeneration > 0 {
		return of.ObservedGeneration
	}
	if generation, found, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration"); found && err == nil {
		return generation
	}
	return object.GetGeneration()
}

// conditionsOf ignores items that do not have the form of a condition, because another version of
// the kind may have a format that this program does not know.
func conditionsOf(object *unstructured.Unstructured) []metav1.Condition {
	list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	var found []metav1.Condition
	for _, item := range list {
		fields, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text := func(name string) string { value, _, _ := unstructured.NestedString(fields, name); return value }
		generation, _, _ := unstructured.NestedInt64(fields, "observedGeneration")
		since, _ := time.Parse(time.RFC3339, text("lastTransitionTime"))
		found = append(found, metav1.Condition{
			Type: text("type"), Status: metav1.ConditionStatus(text("status")), Reason: text("reason"), Message: text("message"),
			ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(since),
		})
	}
	return found
}

func condition(conditions []metav1.Condition, kind string) *metav1.Condition {
	for i := range conditions {
		if conditions[i].Type == kind {
			return &conditions[i]
		}
	}
	return nil
}

// age returns the time that has passed, as kubectl prints it; a time in the future counts as now.
func age(since, now time.Time) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}
