// SPDX-License-Identifier: Apache-2.0

package approval

import (
	"context"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
)

// reconciler reconciles Approvals.
type reconciler struct {
	client   client.Client // reads from the cache
	subjects subjects
	recorder events.EventRecorder
	// now returns the time of the API server, and whether it is trusted. See package servertime.
	now       func() (time.Time, bool)
	retention time.Duration
}

// Reconcile closes an Approval that can no longer be decided, reports its state in its conditions,
// and deletes it after its retention.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	stored := &v1alpha1.Approval{}
	if err := r.client.Get(ctx, request.NamespacedName, stored); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.subjects.follow.forget(request.Name)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if stored.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	seen := observation{retention: r.retention}
	seen.now, seen.trusted = r.now()
	if final(stored.Status.Decision) {
		r.subjects.follow.forget(stored.Name)
	} else {
		var err error
		if seen.changed, err = r.subjects.changed(ctx, stored); err != nil {
			return reconcile.Result{}, err
		}
	}
	next := decide(stored, seen)
	if next.remove {
		klog.FromContext(ctx).Info("Approval was kept long enough", "approval", stored.Name, "retention", r.retention)
		return reconcile.Result{}, client.IgnoreNotFound(r.client.Delete(ctx, stored, client.Preconditions{UID: &stored.UID}))
	}
	approval := stored.DeepCopy()
	conclude(approval, next, seen)
	if err := r.write(ctx, approval, stored); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: next.wait}, nil
}

// write stores the status if it changed, and emits an event when the Approval ends. A concurrent
// decision is not overwritten, because the resourceVersion would differ.
func (r *reconciler) write(ctx context.Context, approval, stored *v1alpha1.Approval) error {
	if apiequality.Semantic.DeepEqual(approval.Status, stored.Status) {
		return nil
	}
	if err := r.client.Status().Update(ctx, approval); err != nil {
		return client.IgnoreNotFound(err)
	}
	before, now := finished(stored), finished(approval)
	if now != nil && now.Status == metav1.ConditionTrue && (before == nil || before.Status != metav1.ConditionTrue) {
		tellEnd(r.recorder, approval, nil, now.Reason, now.Message)
	}
	return nil
}

func finished(approval *v1alpha1.Approval) *metav1.Condition {
	return meta.FindStatusCondition(approval.Status.Conditions, v1alpha1.ConditionFinished)
}
