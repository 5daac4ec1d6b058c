// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/util/names"
)

// usersWait batches changes of Domains and MockServers, because each reconciliation iterates over
// all of them.
const usersWait = time.Second

// Setup adds the controller of TakaroEndpoints to a manager and returns their Keeper. The config
// needs Namespace, Installation, Pool, Endpoints and Fenced.
func Setup(mgr ctrl.Manager, config Config) (*Keeper, error) {
	config.Client, config.Live = mgr.GetClient(), mgr.GetAPIReader()
	config.Recorder, config.Clock = mgr.GetEventRecorder(names.Controller), clock.RealClock{}
	keeper := New(config)
	for _, runnable := range []manager.Runnable{keeper, verifier{keeper}} {
		if err := mgr.Add(runnable); err != nil {
			return nil, err
		}
	}
	r := &reconciler{Keeper: keeper}
	return keeper, ctrl.NewControllerManagedBy(mgr).
		Named("takaro-endpoint").
		WithOptions(base.Options(1, base.Timeout)).
		For(&v1alpha1.TakaroEndpoint{}).
		Watches(&v1alpha1.Domain{}, r.usersChanged()).
		Watches(&v1alpha1.MockServer{}, r.usersChanged()).
		WatchesRawSource(source.Func(keeper.changed.Attach)).
		Complete(base.Measure("TakaroEndpoint", r))
}

// userOf returns the fields of a Domain or MockServer that determine which TakaroEndpoint it uses.
// A MockServer with a Domain uses no TakaroEndpoint itself.
func userOf(object client.Object) user {
	switch object := object.(type) {
	case *v1alpha1.Domain:
		return user{object.Namespace, object.Spec.TakaroAPIURL, object.Spec.CredentialsSecretRef != nil}
	case *v1alpha1.MockServer:
		return user{object.Namespace, object.Spec.TakaroAPIURL, object.Spec.CredentialsSecretRef != nil}
	}
	return user{}
}

// relevance contains the properties of an object that affect its TakaroEndpoint.
type relevance struct {
	user
	// owns is set if a Domain owns a domain, deleted if its deletion counts.
	owns, deleted bool
}

func relevant(object client.Object) relevance {
	found := relevance{user: userOf(object)}
	if domain, ok := object.(*v1alpha1.Domain); ok {
		found.owns = len(heldIDs(domain)) > 0
		_, found.deleted = deletionOf(domain)
	}
	return found
}

// usersChanged enqueues the TakaroEndpoints that an object starts or stops using.
func (r *reconciler) usersChanged() handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	add := func(ctx context.Context, object client.Object, queue queue) {
		list := &v1alpha1.TakaroEndpointList{}
		if err := r.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return // the cache fails only when the process ends
		}
		for i := range list.Items {
			if userOf(object).uses(&list.Items[i], r.Namespace) {
				queue.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])}, usersWait)
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, queue queue) { add(ctx, e.Object, queue) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, queue queue) { add(ctx, e.Object, queue) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, queue queue) {
			if relevant(e.ObjectOld) != relevant(e.ObjectNew) {
				add(ctx, e.ObjectOld, queue)
				add(ctx, e.ObjectNew, queue)
			}
		},
	}
}
