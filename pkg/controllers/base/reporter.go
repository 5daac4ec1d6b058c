// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
	"roadstead.dev/roadstead/pkg/util/text"
)

const (
	// Component is the program that emits the events.
	Component = "roadstead-controller"
	// EventAction is what a controller was doing, for the events API.
	EventAction = "Reconcile"
	// EventRecovered is the reason of the event that an object does not wait for a user any more.
	EventRecovered = "Recovered"
	// MaxNote is how many bytes the message of an event may have. The API server refuses events with more than 1024.
	MaxNote = 1000
	// reasonReconciling is the reason of the condition Ready while a spec is being carried out, in all groups.
	reasonReconciling = "Reconciling"
)

// Status is what the statuses of all kinds have in common.
type Status struct {
	// Whole points to the status itself.
	Whole              any
	Conditions         *[]metav1.Condition
	ObservedGeneration *int64
	// Deleting reports that the status says that the object is being deleted.
	Deleting bool
}

// Kind is how the objects of a kind report what a controller found.
type Kind[T client.Object] struct {
	Status func(T) Status
	// SetPhase derives the phase from the conditions.
	SetPhase func(T)
	// Failed are the reasons that a user or an administrator has to act on.
	Failed map[string]bool
	// MustAct, if set, decides that in the place of Failed.
	MustAct func(reason string) bool
}

// Set writes a condition into the status.
func (k Kind[T]) Set(object T, kind string, status metav1.ConditionStatus, reason, message string) {
	mustAct := k.MustAct
	if mustAct == nil {
		mustAct = conditions.OneOf(k.Failed)
	}
	conditions.Set(k.Status(object).Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: object.GetGeneration(),
	}, mustAct)
}

// Reconciling writes into the status that the present spec is being carried out.
func (k Kind[T]) Reconciling(object T, message string) {
	k.Set(object, conditions.Ready, metav1.ConditionUnknown, reasonReconciling, message)
	k.Observed(object)
}

// Observed writes into the status that it describes the present spec, after the conditions were set.
func (k Kind[T]) Observed(object T) {
	*k.Status(object).ObservedGeneration = object.GetGeneration()
	k.SetPhase(object)
}

// Fulfilled reports whether the status says that the present spec is fulfilled.
func (k Kind[T]) Fulfilled(object T) bool {
	ready := k.ready(object)
	return ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == object.GetGeneration()
}

// WaitsFor reports whether the condition Ready has the reason.
func (k Kind[T]) WaitsFor(object T, reason string) bool {
	return k.ready(object).Reason == reason
}

// ready returns the condition Ready of an object, a zero one if it has none.
func (k Kind[T]) ready(object T) metav1.Condition {
	return ptr.Deref(meta.FindStatusCondition(*k.Status(object).Conditions, conditions.Ready), metav1.Condition{})
}

// Reporter writes statuses and emits events of the objects of a kind.
type Reporter[T client.Object] struct {
	Kind[T]
	Client   client.Client
	Recorder events.EventRecorder
}

// Note emits an event of type Normal, with at most MaxNote bytes of the message.
func (r Reporter[T]) Note(object T, reason, format string, args ...any) {
	r.emit(object, corev1.EventTypeNormal, reason, format, args...)
}

// Warn emits an event of type Warning, with at most MaxNote bytes of the message.
func (r Reporter[T]) Warn(object T, reason, format string, args ...any) {
	r.emit(object, corev1.EventTypeWarning, reason, format, args...)
}

func (r Reporter[T]) emit(object T, kind, reason, format string, args ...any) {
	r.Recorder.Eventf(object, nil, kind, reason, EventAction, "%s", text.Bytes(fmt.Sprintf(format, args...), MaxNote))
}

// Announce emits an event if the object began to wait for a user, or, with the message, if it is Ready after it did. That it
// waits for other objects is no event.
func (r Reporter[T]) Announce(object, stored T, recovered string) {
	switch stalled, again := conditions.Turn(*r.Status(stored).Conditions, *r.Status(object).Conditions); {
	case stalled != nil:
		r.Warn(object, stalled.Reason, "%s", stalled.Message)
	case again:
		r.Note(object, EventRecovered, "%s", recovered)
	}
}

// Write stores the draft of the status if it differs from what the API server has: the draft may already have been written on
// the way.
func (r Reporter[T]) Write(ctx context.Context, object, stored T) error {
	_, err := r.WriteChanged(ctx, object, stored)
	return err
}

// WriteChanged is Write, and reports whether something was stored. Nothing is if the object no longer exists.
func (r Reporter[T]) WriteChanged(ctx context.Context, object, stored T) (bool, error) {
	same := object.GetResourceVersion() == stored.GetResourceVersion()
	if same && apiequality.Semantic.DeepEqual(r.Status(object).Whole, r.Status(stored).Whole) {
		return false, nil
	}
	err := r.Client.Status().Update(ctx, object)
	return err == nil, client.IgnoreNotFound(err)
}

// WriteQueued writes into the conditions that a new spec, or a deletion, was seen and has to wait. A status of the present
// generation stays as it is: nothing is known to be wrong.
func (r Reporter[T]) WriteQueued(ctx context.Context, object, stored T, blocked *Blocked, kinds ...string) error {
	status := r.Status(stored)
	deleted := stored.GetDeletionTimestamp() != nil && !status.Deleting
	if !deleted && *status.ObservedGeneration == stored.GetGeneration() {
		return nil
	}
	for _, kind := range kinds {
		r.Set(object, kind, metav1.ConditionUnknown, blocked.Reason, blocked.Message)
	}
	r.Observed(object)
	return r.Write(ctx, object, stored)
}
