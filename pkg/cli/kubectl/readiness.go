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
	// phaseError is the phase of an object that waits for a person, in every kind.
	phaseError = "Error"
)

// The reasons that are ours and not the object's.
const (
	// reasonReady says: the object is ready, and its conditions give no reason of their own.
	reasonReady = "Ready"
	// reasonNoStatus says: no controller has written anything about the object.
	reasonNoStatus = "NoStatus"
	// reasonOutdated says: what the conditions say is about an earlier spec.
	reasonOutdated = "Outdated"
	// reasonDeleting says: the object is being deleted, and no condition says more.
	reasonDeleting = "Deleting"
	// reasonNotFound says: an object that others refer to is not there.
	reasonNotFound = "NotFound"
	// reasonSecretMissing says: a Secret that an object names is not there, though the object does not complain.
	reasonSecretMissing = "SecretMissing"
)

// readiness is what an object says about itself.
type readiness struct {
	ready bool
	// finished is the condition Finished.
	finished        bool
	phase           string
	reason, message string
	// since is when that began; zero when nobody knows.
	since time.Time
	// quiet tells that the object itself says nothing of use, so that its events may.
	quiet bool
}

// failed tells that nothing goes on before a person has acted.
func (r readiness) failed() bool {
	return !r.ready && r.phase == phaseError && r.reason != reasonOutdated
}

// assess reads what every kind has: conditions, phase, observedGeneration. Kinds without a status are ready when they are there.
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
		found.message = fmt.Sprintf("no controller has said anything about it since it was made %s ago; if that stays so, see whether "+
			"roadstead-controller runs", age(found.since, now))
	default:
		found.speak(object, ready)
	}
	return found
}

// speak takes over what the condition says that counts.
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
	r.message = fmt.Sprintf("its spec is at generation %d, and the controller has seen %d; if that stays so, see whether "+
		"roadstead-controller runs", object.GetGeneration(), seen)
	r.quiet = true
}

// deleting is for objects that are on their way out: those are never ready.
func (r *readiness) deleting(object *unstructured.Unstructured, ready *metav1.Condition) {
	r.since = object.GetDeletionTimestamp().Time
	if ready != nil && ready.Status != metav1.ConditionTrue && ready.Message != "" {
		r.reason, r.message = ready.Reason, oneLine(ready.Message)
		return
	}
	r.reason, r.quiet = reasonDeleting, true
	r.message = "it is being deleted"
	if finalizers := object.GetFinalizers(); len(finalizers) > 0 {
		r.message += ", and waits for whoever set " + strings.Join(finalizers, ", ")
	}
}

// observed is the generation that a condition is about: its own, else that of the status; the present one when neither says.
func observed(object *unstructured.Unstructured, of *metav1.Condition) int64 {
	if of.ObservedGeneration > 0 {
		return of.ObservedGeneration
	}
	if generation, found, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration"); found && err == nil {
		return generation
	}
	return object.GetGeneration()
}

// conditionsOf passes over what has not the form of a condition: another version of the kind may write what this program
// does not know.
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

// age is a time that passed, as kubectl writes it; a clock that is ahead counts as now.
func age(since, now time.Time) string {
	if since.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(max(now.Sub(since), 0))
}
