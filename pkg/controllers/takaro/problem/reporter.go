// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"context"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

// Reporter reports on the objects of a kind that use Takaro, and decides when they are reconciled
// again.
type Reporter[T client.Object] struct {
	base.Reporter[T]
	Refusals *Refusals
}

// NewReporter returns a Reporter without refusals.
func NewReporter[T client.Object](kind base.Kind[T], writer client.Client, recorder events.EventRecorder) Reporter[T] {
	return Reporter[T]{Reporter: base.Reporter[T]{Kind: kind, Client: writer, Recorder: recorder}, Refusals: NewRefusals()}
}

// Passing reports whether an attempt was stopped by something that is no evidence about the object:
// it was changed in the meantime, or it has to wait for its turn. The reconciliation then ends with
// the result and the error.
func (r Reporter[T]) Passing(ctx context.Context, object, stored T, blocked *base.Blocked) (passing bool, _ reconcile.Result, _ error) {
	switch {
	case blocked.Outdated():
		return true, reconcile.Result{}, blocked.Err
	case blocked == nil || blocked.Reason != v1alpha1.ReasonQueued:
		return false, reconcile.Result{}, nil
	}
	if err := r.WriteQueued(ctx, object, stored, blocked, v1alpha1.ConditionReady, v1alpha1.ConditionSynced); err != nil {
		return true, reconcile.Result{}, err
	}
	result, err := r.After(object, blocked)
	return true, result, err
}

// Finish completes and writes the status of an object that was stopped, and returns when to
// reconcile it again.
func (r Reporter[T]) Finish(ctx context.Context, object, stored T, blocked *base.Blocked) (reconcile.Result, error) {
	r.Observed(object)
	if err := r.Write(ctx, object, stored); err != nil {
		return reconcile.Result{}, err
	}
	return r.After(object, blocked)
}

// After returns when to reconcile an object again. blocked is nil if it was not stopped. An error
// is retried with back-off, and its result would be ignored.
func (r Reporter[T]) After(object T, blocked *base.Blocked) (reconcile.Result, error) {
	name := client.ObjectKeyFromObject(object)
	if blocked == nil {
		r.Refusals.Forget(name)
		return reconcile.Result{}, nil
	}
	wait := r.Refusals.Wait(name, blocked.Reason, blocked.RequeueAfter)
	if blocked.Err != nil {
		return reconcile.Result{}, blocked.Err
	}
	return reconcile.Result{RequeueAfter: wait}, nil
}

// Release removes the finalizer of an object whose state in Takaro was cleaned up.
func (r Reporter[T]) Release(ctx context.Context, object T, finalizer string) (reconcile.Result, error) {
	r.Refusals.Forget(client.ObjectKeyFromObject(object))
	controllerutil.RemoveFinalizer(object, finalizer)
	return reconcile.Result{}, client.IgnoreNotFound(r.Client.Update(ctx, object))
}
