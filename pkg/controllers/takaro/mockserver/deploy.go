// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// deploy creates or updates the Secret, the login in Redis and the StatefulSet. The login is stored
// before it is created in Redis, so that a controller that continues after a crash uses the same
// password.
func (r *reconciler) deploy(ctx context.Context, a *attempt) *base.Blocked {
	if blocked := r.publish(ctx, a); blocked != nil {
		return blocked
	}
	image := a.server.Spec.Image
	if image == "" {
		image = r.image
	}
	wanted := statefulSet(&deployment{
		server: a.server, image: image, connector: a.connector, registration: registrationSecret(a.server, a.domain), redis: a.redis,
		ca:       len(a.Resolved.CABundle) > 0,
		contents: hashOf([]string{a.token.Reveal(), a.redis.podSecret.Reveal(), string(a.Resolved.CABundle)}),
		closedAt: closedAt(a),
	})
	again := begun(a.server)
	var left *appsv1.StatefulSet
	if a.set == nil {
		var blocked *base.Blocked
		if left, blocked = r.findName(ctx, a, wanted); blocked != nil {
			return blocked
		}
	}
	if blocked := r.record(ctx, a, a.ledger); blocked != nil {
		return blocked
	}
	if blocked := r.grantRedis(ctx, a); blocked != nil {
		return blocked
	}
	if left != nil {
		if blocked := r.takeSet(ctx, a, left); blocked != nil {
			return blocked
		}
	}
	switch {
	case a.set == nil:
		return r.createSet(ctx, a, wanted, again)
	case upToDate(a.set, wanted):
		return nil
	case onlyRestarts(a, wanted):
		if wait, _ := r.limit.take(a.place.Endpoint, replicasOf(a.server)); wait > 0 {
			return r.postpone(a, wait)
		}
	}
	return r.updateSet(ctx, a, wanted)
}

// closedAt returns when the domain was last in maintenance or disabled. Takaro's connector may have
// forgotten the game servers in the meantime. A change of the returned value restarts their pods.
func closedAt(a *attempt) string {
	if a.set == nil {
		return ""
	}
	if found := readyOf(a.before); found != nil && found.Reason == v1alpha1.ReasonDomainInMaintenance {
		return found.LastTransitionTime.UTC().Format(time.RFC3339)
	}
	return a.set.Spec.Template.Annotations[closedAnnotation]
}

// onlyRestarts reports whether a change of the StatefulSet was not caused by a change of the spec,
// but by a new default image or registration token, or by the end of a maintenance. Such a change
// affects many MockServers at the same time.
func onlyRestarts(a *attempt, wanted *appsv1.StatefulSet) bool {
	reopened := wanted.Spec.Template.Annotations[closedAnnotation] != a.set.Spec.Template.Annotations[closedAnnotation]
	return (reopened || a.ready) && a.set.Annotations[simulationAnnotation] == wanted.Annotations[simulationAnnotation] &&
		ptr.Deref(a.set.Spec.Replicas, 1) == *wanted.Spec.Replicas
}

// postpone delays a MockServer whose pods must be restarted until its turn.
func (r *reconciler) postpone(a *attempt, wait time.Duration) *base.Blocked {
	if a.ready {
		a.again = soonest(a.again, wait)
		return nil
	}
	return &base.Blocked{Unknown: true, Reason: v1alpha1.ReasonDomainInMaintenance, RequeueAfter: wait,
		Message: "The domain is active again. " +
			"Takaro's connector may have forgotten the game servers meanwhile, so their pods are restarted, a few of all MockServers every minute."}
}

// createSet creates the StatefulSet. again is set if one may have existed before.
func (r *reconciler) createSet(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet, again bool) *base.Blocked {
	if again {
		// The previous StatefulSet may have saved a different simulation.
		if blocked := r.resetSimulation(ctx, a, false); blocked != nil {
			return blocked
		}
	}
	if err := owner.SetController(ctx, r.Live, r.Client.Scheme(), a.server, wanted); err != nil {
		return problem.Classify("setting the owner of the StatefulSet", err)
	}
	if err := r.Client.Create(ctx, wanted); err != nil {
		return refusedByCluster(err)
	}
	a.set = wanted
	return nil
}

// updateSet updates the StatefulSet, which restarts its pods if needed. A mock server prefers its
// saved state to its environment, so the saved state is reset first, while no pod is running that
// could save it again.
func (r *reconciler) updateSet(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet) *base.Blocked {
	before, now := a.set.Annotations[simulationAnnotation], wanted.Annotations[simulationAnnotation]
	if before != now {
		if blocked := r.stopPods(ctx, a); blocked != nil {
			return blocked
		}
		if blocked := r.resetSimulation(ctx, a, playersIn(before) > playersIn(now)); blocked != nil {
			return blocked
		}
		r.Note(a.server, eventSimulationReset, "the saved simulation was reset, so that the changed one takes effect")
	}
	changed := a.set.DeepCopy()
	for key, value := range wanted.Labels {
		metav1.SetMetaDataLabel(&changed.ObjectMeta, key, value)
	}
	for key, value := range wanted.Annotations {
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, key, value)
	}
	changed.Spec.Replicas, changed.Spec.Template = wanted.Spec.Replicas, wanted.Spec.Template
	if err := r.Client.Update(ctx, changed); err != nil {
		return refusedByCluster(err)
	}
	a.set = changed
	return nil
}

// stopPods stops all pods temporarily, and returns nil when none is left. Their records in Takaro
// are kept.
func (r *reconciler) stopPods(ctx context.Context, a *attempt) *base.Blocked {
	status := &a.set.Status
	if *a.set.Spec.Replicas == 0 && status.ObservedGeneration == a.set.Generation && status.Replicas == 0 && len(a.pods) == 0 {
		return nil
	}
	if *a.set.Spec.Replicas > 0 {
		stopped := a.set.DeepCopy()
		stopped.Spec.Replicas = new(int32)
		if err := r.Client.Update(ctx, stopped); err != nil {
			return refusedByCluster(err)
		}
	}
	const message = "the simulation has changed: the pods end, so that the saved one can be reset, and start again"
	set(a.server, v1alpha1.ConditionDeployed, metav1.ConditionFalse, v1alpha1.ReasonPodsNotReady, message)
	return &base.Blocked{Reason: v1alpha1.ReasonPodsNotReady, Message: message, RequeueAfter: pollSoon}
}

func refusedByCluster(err error) *base.Blocked {
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		return &base.Blocked{Reason: v1alpha1.ReasonStatefulSetRefused, RequeueAfter: problem.ForeignWait,
			Message: fmt.Sprintf("the cluster does not take the StatefulSet: %v", err)}
	}
	return problem.Classify("writing the StatefulSet", err)
}

func (r *reconciler) resetSimulation(ctx context.Context, a *attempt, players bool) *base.Blocked {
	if err := r.redis.reset(ctx, a.redis, markOf(a.server), players); err != nil {
		return redisProblem("resetting the saved simulation", err)
	}
	return nil
}
