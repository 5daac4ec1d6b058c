// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// judgementWait is the delay between attempts to release a hold for which this process has not
// judged a list yet.
const judgementWait = 10 * time.Second

// reconciler manages the lifecycle of TakaroEndpoints and carries out releases.
type reconciler struct{ *Keeper }

// Reconcile deletes a TakaroEndpoint that is not used, carries out the release that its annotation
// requests, and writes its status.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	e := &v1alpha1.TakaroEndpoint{}
	if err := r.Client.Get(ctx, request.NamespacedName, e); err != nil {
		if apierrors.IsNotFound(err) {
			r.forgetEndpoint(request.NamespacedName)
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	r.rouse() // it is new, or has an acceptance
	found, err := r.usage(ctx, e)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !found.used && (e.DeletionTimestamp != nil || len(e.Status.Left) == 0) {
		return reconcile.Result{}, r.retire(ctx, e)
	}
	if found.used && e.DeletionTimestamp == nil && controllerutil.AddFinalizer(e, Finalizer) {
		if err := r.Client.Update(ctx, e); err != nil {
			return reconcile.Result{}, err
		}
	}
	r.noteUsage(e, found)
	result, err := r.releaseAsked(ctx, e)
	if err != nil {
		return reconcile.Result{}, err
	}
	return result, r.refresh(ctx, e, found.domains)
}

// releaseAsked carries out the annotation that releases a hold, and removes it.
func (r *reconciler) releaseAsked(ctx context.Context, e *v1alpha1.TakaroEndpoint) (reconcile.Result, error) {
	token, asked := e.Annotations[hold.ReleaseAnnotation]
	if !asked {
		return reconcile.Result{}, nil
	}
	released, err := r.release(ctx, client.ObjectKeyFromObject(e), token)
	if err != nil {
		return reconcile.Result{}, err
	}
	announced := slices.ContainsFunc(e.Status.Holds, func(h v1alpha1.Hold) bool { return h.Token == token })
	if released == nil && token != "" && announced {
		// An earlier process determined what is held. This process learns the names from the next
		// lists.
		return reconcile.Result{RequeueAfter: judgementWait}, nil
	}
	if removed, err := r.removeAnnotation(ctx, e, hold.ReleaseAnnotation, token); err != nil || !removed {
		return reconcile.Result{}, err
	}
	r.notifyRelease(e, token, released)
	return reconcile.Result{}, nil
}

// notifyRelease emits an event for what the token released. released is nil if the token is not
// valid.
func (r *reconciler) notifyRelease(e *v1alpha1.TakaroEndpoint, token string, released *holdKind) {
	at := client.ObjectKeyFromObject(e)
	if released != nil {
		message := fmt.Sprintf("Hold %s was released. %s", token, released.follows)
		if now := holdIn(&e.Status, released.name); now.Held > 0 {
			message = fmt.Sprintf("Hold %s was released. A release covers at most %d %s; to release more, run: %s",
				token, ownership.MaxReleased, released.counts, releaseCommand(at, now.Token))
		}
		r.event(e, corev1.EventTypeNormal, eventHoldReleased, message)
		return
	}
	message := fmt.Sprintf("Token %q releases nothing: no change waits for a release.", token)
	for _, now := range e.Status.Holds {
		if now.Token != "" {
			message = fmt.Sprintf("Token %q does not release what is held now. Check status.holds, then run: %s", token,
				releaseCommand(at, now.Token))
			break
		}
	}
	r.event(e, corev1.EventTypeWarning, eventReleaseRefused, message)
}
