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
)

const (
	// Component is the name of the reporting component in events.
	Component = "roadstead-controller"
	// EventAction is the action in events of the events.k8s.io API.
	EventAction = "Reconcile"
	// EventRecovered is the reason of the event for an object that no longer requires action by a
	// user.
	EventRecovered = "Recovered"
	// MaxNote is the maximum length of an event's message in bytes. The API server rejects messages
	// of more than 1024 bytes.
	MaxNote = 1000
	// reasonReconciling is the reason of the condition Ready while a spec is being carried out. All
	// API groups use it.
	reasonReconciling = "Reconciling"
)

// Status contains the fields that the statuses of all kinds share.
type Status struct {
	// Whole is a pointer to the status itself.
	Whole              any
	Conditions         *[]metav1.Condition
	ObservedGeneration *int64
	// Deleting is set if the status says that the object is being deleted.
	Deleting bool
}

// Kind describes how the objects of a kind report their status.
type Kind[T client.Object] struct {
	Status func(T) Status
	// SetPhase sets the phase from the conditions.
	SetPhase func(T)
	// Failed is the set of reasons that require action by a user or an administrator.
	Failed map[string]bool
	// MustAct replaces Failed if it is set.
	MustAct func(reason string) bool
}

// Set sets a condition in the status.
func (k Kind[T]) Set(object T, kind string, status metav1.ConditionStatus, reason, message string) {
	mustAct := k.MustAct
	if mustAct == nil {
		mustAct = conditions.OneOf(k.Failed)
	}
	conditions.Set(k.Status(object).Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: object.GetGeneration(),
	}, mustAct)
}

// Reconciling records in the status that the current spec is being carried out.
func (k Kind[T]) Reconciling(object T, message string) {
	k.Set(object, conditions.Ready, metav1.ConditionUnknown, reasonReconciling, message)
	k.Observed(object)
}

// Observed records in the status that it describes the current spec. It is called after the
// conditions were set.
func (k Kind[T]) Observed(object T) {
	*k.Status(object).ObservedGeneration = object.GetGeneration()
	k.SetPhase(object)
}

// Fulfilled reports whether the status says that the current spec is fulfilled.
func (k Kind[T]) Fulfilled(object T) bool {
	ready := k.ready(object)
	return ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == object.GetGeneration()
}

// WaitsFor reports whether the condition Ready has the reason.
func (k Kind[T]) WaitsFor(object T, reason string) bool {
	return k.ready(object).Reason == reason
}

// ready returns the condition Ready of an object, or the zero value if there is none.
func (k Kind[T]) ready(object T) metav1.Condition {
	return ptr.Deref(meta.FindStatusCondition(*k.Status(object).Conditions, conditions.Ready), metav1.Condition{})
}

// Reporter writes statuses and emits events of the objects of one kind.
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
	Emit(r.Recorder, object, nil, kind, reason, fmt.Sprintf(format, args...))
}

// Announce emits an event if the object started to require action by a user, or, with the message,
// if it is Ready again after that. Waiting for other objects is not an event.
func (r Reporter[T]) Announce(object, stored T, recovered string) {
	switch stalled, again := conditions.Turn(*r.Status(stored).Conditions, *r.Status(object).Conditions); {
	case stalled != nil:
		r.Warn(object, stalled.Reason, "%s", stalled.Message)
	case again:
		r.Note(object, EventRecovered, "%s", recovered)
	}
}

// Write stores the draft of the status if it differs from what the API server has: the draft may
// already have been written during the attempt.
func (r Reporter[T]) Write(ctx context.Context, object, stored T) error {
	_, err := r.WriteChanged(ctx, object, stored)
	return err
}

// WriteChanged is like Write, and reports whether the status was stored. Nothing is stored if the
// object no longer exists.
func (r Reporter[T]) WriteChanged(ctx context.Context, object, stored T) (bool, error) {
	same := object.GetResourceVersion() == stored.GetResourceVersion()
	if same && apiequality.Semantic.DeepEqual(r.Status(object).Whole, r.Status(stored).Whole) {
		return false, nil
	}
	err := r.Client.Status().Update(ctx, object)
	return err == nil, client.IgnoreNotFound(err)
}

// WriteQueued records in the conditions that a new spec or a deletion was seen and must wait. A
// status of the current generation is kept, because nothing is known to be wrong.
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
