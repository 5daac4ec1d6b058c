// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/takaro/domainref"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

const (
	// podsPatience is how long a deletion waits for pods. A pod on a lost node is never removed,
	// but it cannot register again either.
	podsPatience = 30 * time.Second
	// arriving is how long after the deletion a game server whose pod has ended may still register.
	arriving = 10 * time.Second
	// redisPatience is how long a deletion waits for Redis. Keys that remain there do no harm,
	// since no other object uses them.
	redisPatience = time.Minute
)

// finalize deletes the pods of a MockServer that is being deleted, removes its game servers from
// Takaro and its state from Redis, and then removes the finalizer.
func (r *reconciler) finalize(ctx context.Context, a *attempt, stored *v1alpha1.MockServer) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(a.server, Finalizer) {
		return reconcile.Result{}, nil
	}
	if begun(a.server) {
		work, done := base.Work(ctx)
		defer done()
		blocked, err := r.dismantle(work, a)
		if err != nil {
			return reconcile.Result{}, err
		}
		if blocked != nil {
			return r.reportBlocked(ctx, a, stored, problem.Naming(blocked, a.Resolved.From))
		}
	}
	r.restarts.forget(a.server.UID)
	r.limit.forget(a.server.UID)
	r.foreign.forget(a.server.UID)
	for _, record := range ledgerOf(a.server) {
		r.silences.forget(record.ID)
		r.absences.Present(record.ID)
	}
	for _, name := range append(secretNames(a.server), secretName(a.server)) {
		r.Secrets.Forget(client.ObjectKey{Namespace: a.server.Namespace, Name: name})
	}
	return r.Release(ctx, a.server, Finalizer)
}

// dismantle removes the MockServer's objects in the cluster, in Redis and in Takaro, and returns
// what stopped it or what it still waits for. The pods are removed first, since they write to Redis
// and Takaro. Takaro does not wait for Redis, nor Redis for Takaro: a deletion that ends without
// one of them leaves nothing in the other.
func (r *reconciler) dismantle(ctx context.Context, a *attempt) (*base.Blocked, error) {
	if blocked := problem.HeldWithDomain(ctx, r.Live, r.Keeper, a.domain); blocked != nil {
		return blocked, nil
	}
	if blocked, err := r.awaited(ctx, a, r.endPods(ctx, a)); blocked != nil || err != nil {
		return blocked, err
	}
	inRedis := r.purge(ctx, a)
	if blocked, err := r.awaited(ctx, a, r.dispose(ctx, a)); blocked != nil || err != nil {
		return blocked, err
	}
	if inRedis, err := r.awaited(ctx, a, inRedis); inRedis == nil || err != nil {
		return nil, err
	}
	if r.Clock.Since(a.server.DeletionTimestamp.Time) < redisPatience {
		return inRedis, nil
	}
	r.Warn(a.server, eventLeftInRedis, "the saved state (keys gameserver:%s-*) was left in Redis: %s", markOf(a.server), inRedis.Message)
	return nil, nil
}

// awaited returns blocked, or nil if the reason can never be resolved because the namespace no
// longer exists.
func (r *reconciler) awaited(ctx context.Context, a *attempt, blocked *base.Blocked) (*base.Blocked, error) {
	return problem.Awaited(ctx, r.Live, a.server.Namespace, blocked,
		"The namespace is gone and with it a Secret that is needed to clean up: what is there is left as it is",
		"gameServers", len(a.server.Status.GameServers))
}

// reportBlocked reports what a deletion waits for, and how to end it without that.
func (r *reconciler) reportBlocked(
	ctx context.Context, a *attempt, stored *v1alpha1.MockServer, blocked *base.Blocked,
) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.server, stored, blocked); passing {
		return result, err
	}
	server := a.server
	if blocked.Reason == v1alpha1.ReasonDeleting {
		set(server, v1alpha1.ConditionReady, metav1.ConditionFalse, blocked.Reason, blocked.Message)
	} else {
		set(server, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeletionBlocked, fmt.Sprintf(
			"%s. To end the deletion and leave the game servers in Takaro, run: "+
				"kubectl patch mockservers.%s %s -n %s --type=merge -p '{\"metadata\":{\"finalizers\":null}}'",
			strings.TrimSuffix(blocked.Message, "."), v1alpha1.GroupName, server.Name, server.Namespace))
	}
	return r.Finish(ctx, server, stored, blocked)
}

// endPods deletes the StatefulSet and waits for its pods, because a running pod might register
// again. It reads without the cache, which may lack objects that were just created. With
// --cascade=orphan the StatefulSet is kept: when the garbage collector is done, the MockServer no
// longer owns it.
func (r *reconciler) endPods(ctx context.Context, a *attempt) *base.Blocked {
	if err := r.readPods(ctx, r.Live, a); err != nil {
		return problem.Classify("looking for the pods", err)
	}
	if a.set != nil && owner.Orphans(a.server) {
		return &base.Blocked{Reason: v1alpha1.ReasonDeleting, RequeueAfter: pollSoon,
			Message: "waiting for the garbage collector to orphan the StatefulSet; check that kube-controller-manager runs"}
	}
	if a.set != nil && a.set.DeletionTimestamp == nil {
		object := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: a.set.Namespace, Name: a.set.Name}}
		// The resource version is a precondition too: the garbage collector may have orphaned the
		// StatefulSet since it was read.
		as := client.Preconditions{UID: &a.set.UID, ResourceVersion: &a.set.ResourceVersion}
		err := r.Client.Delete(ctx, object, as, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return problem.Classify("deleting the StatefulSet", err)
		}
	}
	if (a.set == nil && len(a.pods) == 0) || r.Clock.Since(a.server.DeletionTimestamp.Time) > podsPatience {
		return nil
	}
	return &base.Blocked{Reason: v1alpha1.ReasonDeleting, Message: "waiting for the pods to end", RequeueAfter: pollSoon}
}

// disposal is what to do in Takaro for a MockServer that is being deleted.
type disposal string

const (
	// nothing: the game servers are or were deleted with their domain.
	nothing disposal = "nothing"
	// leave keeps the game servers and emits an event.
	leave disposal = "leave"
	// remove deletes the game servers.
	remove disposal = "remove"
)

// disposalOf is a pure function. domain is nil if the Domain does not exist or the spec refers to
// none.
func disposalOf(server *v1alpha1.MockServer, domain *v1alpha1.Domain) disposal {
	switch {
	case server.Spec.DomainRef == nil:
		return remove
	case domain == nil || domainref.DomainID(domain) == "":
		return nothing
	case domain.DeletionTimestamp != nil && domain.Spec.DeletionPolicy != v1alpha1.DeletionPolicyRetain:
		return nothing
	case domain.DeletionTimestamp != nil && domainref.InMaintenance(domain):
		return leave
	default:
		return remove
	}
}

// dispose removes the game servers from Takaro unless they are deleted with their domain.
func (r *reconciler) dispose(ctx context.Context, a *attempt) *base.Blocked {
	switch disposalOf(a.server, a.domain) {
	case nothing:
		return nil
	case leave:
		r.leave(a, "their domain is in maintenance or disabled")
		return nil
	}
	blocked := r.removeRecords(ctx, a)
	if blocked != nil && blocked.Unknown && a.domain != nil && a.domain.DeletionTimestamp != nil {
		// A user who deletes a Domain and retains the Takaro domain does not want to wait for
		// Takaro.
		r.leave(a, "Takaro cannot be asked")
		return nil
	}
	return blocked
}

func (r *reconciler) leave(a *attempt, why string) {
	r.Note(a.server, eventLeftInTakaro,
		"%d game servers were left in Takaro, since the Domain is retained and %s", len(a.server.Status.GameServers), why)
}

// locateForRemoval is the variant of locate for a deletion. It needs no token, and it is no error
// if the domain no longer exists.
func (r *reconciler) locateForRemoval(ctx context.Context, a *attempt) *base.Blocked {
	if a.server.Spec.DomainRef != nil {
		a.place = a.placeOf(domainref.DomainID(a.domain))
		return nil
	}
	blocked := r.locateForeign(ctx, a)
	if blocked != nil && blocked.Reason == v1alpha1.ReasonExternalReferenceNotFound {
		return nil
	}
	return blocked
}

// purge removes the MockServer's state from Redis.
func (r *reconciler) purge(ctx context.Context, a *attempt) *base.Blocked {
	target, blocked := r.redisOf(ctx, a.server)
	if blocked == nil {
		err := r.redis.purge(ctx, target, markOf(a.server))
		if err == nil {
			return nil
		}
		blocked = redisProblem("removing the saved state", err)
	}
	if blocked.Err == nil && blocked.RequeueAfter == 0 {
		blocked.RequeueAfter = pollLate
	}
	return blocked
}
