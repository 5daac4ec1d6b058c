// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/owner"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// deploy makes Secret, login in Redis and StatefulSet as they should be. The login is stored before Redis is told of it, so
// that whoever goes on after a crash does so with the same password.
func (r *reconciler) deploy(ctx context.Context, a *attempt) *problem.Problem {
	if blocked := r.publish(ctx, a); blocked != nil {
		return blocked
	}
	image := a.server.Spec.Image
	if image == "" {
		image = r.image
	}
	wanted := statefulSet(&deployment{
		server: a.server, image: image, connector: a.connector, registration: registrationSecret(a.server, a.domain), redis: a.redis,
		ca:       len(a.endpoint.CABundle) > 0,
		contents: hashOf([]string{a.token.Reveal(), a.redis.podSecret.Reveal(), string(a.endpoint.CABundle)}),
	})
	again := begun(a.server)
	if a.set == nil {
		if blocked := r.beginSet(ctx, a, wanted); blocked != nil {
			return blocked
		}
	}
	if blocked := r.grantRedis(ctx, a); blocked != nil {
		return blocked
	}
	switch {
	case a.set == nil:
		return r.createSet(ctx, a, wanted, again)
	case upToDate(a.set, wanted):
		return nil
	}
	return r.updateSet(ctx, a, wanted)
}

// beginSet sees that the name of the StatefulSet is free, and records that from now on there may be something to clean up
// outside.
func (r *reconciler) beginSet(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet) *problem.Problem {
	// Past the cache, which holds only our own and may be behind.
	stored := &appsv1.StatefulSet{}
	err := r.live.Get(ctx, client.ObjectKeyFromObject(wanted), stored)
	switch {
	case err == nil && metav1.IsControlledBy(stored, a.server):
		return problem.Classify("reading the StatefulSet", problem.ErrOutdated)
	case err == nil:
		return &problem.Problem{Reason: v1alpha1.ReasonStatefulSetNameTaken, Wait: problem.ForeignWait, Message: fmt.Sprintf(
			"StatefulSet %q exists and is not controlled by this object; it is not touched: delete it, or use another name in a new object", wanted.Name)}
	case !apierrors.IsNotFound(err):
		return problem.Classify("reading the StatefulSet", err)
	}
	if begun(a.server) {
		return nil
	}
	begin(a.server)
	if err := r.client.Status().Update(ctx, a.server); err != nil {
		return problem.Classify("recording what is begun", err)
	}
	return nil
}

// createSet makes the StatefulSet; again: one may have been there before.
func (r *reconciler) createSet(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet, again bool) *problem.Problem {
	if again {
		// It may have saved a simulation that is not this one.
		if blocked := r.resetSimulation(ctx, a, false); blocked != nil {
			return blocked
		}
	}
	if err := owner.SetController(ctx, r.live, r.client.Scheme(), a.server, wanted); err != nil {
		return problem.Classify("setting the owner of the StatefulSet", err)
	}
	if err := r.client.Create(ctx, wanted); err != nil {
		return refusedByCluster(err)
	}
	a.set = wanted
	return nil
}

// updateSet changes the StatefulSet, which restarts its pods where they are concerned. What the mock server has saved wins
// over its environment, so it is reset before, while no pod runs that could save it again.
func (r *reconciler) updateSet(ctx context.Context, a *attempt, wanted *appsv1.StatefulSet) *problem.Problem {
	before, now := a.set.Annotations[simulationAnnotation], wanted.Annotations[simulationAnnotation]
	if before != now {
		if blocked := r.stopPods(ctx, a); blocked != nil {
			return blocked
		}
		if blocked := r.resetSimulation(ctx, a, playersIn(before) > playersIn(now)); blocked != nil {
			return blocked
		}
		r.note(a, eventSimulationReset, "the saved simulation was reset, so that the changed one takes effect")
	}
	changed := a.set.DeepCopy()
	for key, value := range wanted.Labels {
		metav1.SetMetaDataLabel(&changed.ObjectMeta, key, value)
	}
	for key, value := range wanted.Annotations {
		metav1.SetMetaDataAnnotation(&changed.ObjectMeta, key, value)
	}
	changed.Spec.Replicas, changed.Spec.Template = wanted.Spec.Replicas, wanted.Spec.Template
	if err := r.client.Update(ctx, changed); err != nil {
		return refusedByCluster(err)
	}
	a.set = changed
	return nil
}

// stopPods ends all pods for a moment; nil when none is left. Their records in Takaro stay.
func (r *reconciler) stopPods(ctx context.Context, a *attempt) *problem.Problem {
	status := &a.set.Status
	if *a.set.Spec.Replicas == 0 && status.ObservedGeneration == a.set.Generation && status.Replicas == 0 && len(a.pods) == 0 {
		return nil
	}
	if *a.set.Spec.Replicas > 0 {
		stopped := a.set.DeepCopy()
		stopped.Spec.Replicas = new(int32)
		if err := r.client.Update(ctx, stopped); err != nil {
			return refusedByCluster(err)
		}
	}
	const message = "the simulation has changed: the pods end, so that the saved one can be reset, and start again"
	set(a.server, v1alpha1.ConditionDeployed, metav1.ConditionFalse, v1alpha1.ReasonPodsNotReady, message)
	return &problem.Problem{Reason: v1alpha1.ReasonPodsNotReady, Message: message, Wait: pollSoon}
}

func refusedByCluster(err error) *problem.Problem {
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		return &problem.Problem{Reason: v1alpha1.ReasonStatefulSetRefused, Wait: problem.ForeignWait,
			Message: fmt.Sprintf("the cluster does not take the StatefulSet: %v", err)}
	}
	return problem.Classify("writing the StatefulSet", err)
}

func (r *reconciler) resetSimulation(ctx context.Context, a *attempt, players bool) *problem.Problem {
	if err := r.redis.reset(ctx, a.redis, markOf(a.server), players); err != nil {
		return redisProblem("resetting the saved simulation", err)
	}
	return nil
}
