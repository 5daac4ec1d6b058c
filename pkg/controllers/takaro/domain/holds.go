// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/controllers/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/engine/ownership"
)

// releaseDelay is the delay between the time when the release of a hold is stored and the time when
// the Keeper applies it.
const releaseDelay = time.Second

// deletionHeld returns why neither the domain nor its dependents may be deleted, or nil if the
// deletion is not held.
func (r *reconciler) deletionHeld(ctx context.Context, a *attempt) *base.Blocked {
	command, err := r.Keeper.DeletionHold(ctx, a.domain)
	if err != nil {
		return classify("checking whether the deletion is held", err)
	}
	if command == "" {
		return nil
	}
	at := ownership.Endpoint{Name: takaroendpoint.System(a.domain.Spec.TakaroAPIURL), DeletionHold: command}
	return placed(problem.OfDecision(ownership.DeletionHeld(a.want(), at)))
}

// holdChanged wakes the Domains at a TakaroEndpoint when a hold starts, is released or ends.
// Otherwise they would react only at their next requeue.
func (r *reconciler) holdChanged(installation string) handler.EventHandler {
	return handler.Funcs{UpdateFunc: func(ctx context.Context, e event.UpdateEvent,
		queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		before, after := e.ObjectOld.(*v1alpha1.TakaroEndpoint), e.ObjectNew.(*v1alpha1.TakaroEndpoint)
		vanished := takaroendpoint.HoldDiffers(&before.Status, &after.Status, v1alpha1.HoldVanished)
		if !vanished && !takaroendpoint.HoldDiffers(&before.Status, &after.Status, v1alpha1.HoldDeletion) {
			return
		}
		var options []client.ListOption
		if after.Namespace != installation {
			options = append(options, client.InNamespace(after.Namespace))
		}
		list := &v1alpha1.DomainList{}
		if err := r.Client.List(ctx, list, options...); err != nil {
			return // the cache fails only when the process ends
		}
		for i := range list.Items {
			domain := &list.Items[i]
			if (vanished || domain.DeletionTimestamp != nil) && takaroendpoint.Uses(domain, after, installation) {
				queue.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(domain)}, releaseDelay)
			}
		}
	}}
}
