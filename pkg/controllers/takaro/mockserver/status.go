// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
)

// statusKind describes how MockServers report their status.
var statusKind = base.Kind[*v1alpha1.MockServer]{
	Status: func(server *v1alpha1.MockServer) base.Status {
		s := &server.Status
		return base.Status{
			Whole: s, Conditions: &s.Conditions, ObservedGeneration: &s.ObservedGeneration, Deleting: s.Phase == v1alpha1.MockServerDeleting,
		}
	},
	SetPhase: func(server *v1alpha1.MockServer) { server.Status.Phase = phaseOf(server) },
	Failed:   failed,
}

// set sets a condition in the status.
var set = statusKind.Set

// setIf sets a condition that is True if is is true, and False otherwise.
func setIf(server *v1alpha1.MockServer, kind string, is bool, yes, reason, no string) {
	if is {
		set(server, kind, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, yes)
		return
	}
	set(server, kind, metav1.ConditionFalse, reason, no)
}

// begin records that pods are created for the first time; see record.
func begin(server *v1alpha1.MockServer) {
	for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionRegistered} {
		set(server, kind, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, "the pods are being made")
	}
	statusKind.Observed(server)
}

// readyOf returns the condition Ready of a status, or nil if there is none.
func readyOf(status v1alpha1.MockServerStatus) *metav1.Condition {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
}

// wasBarred reports whether a status says that Takaro did not allow game servers to register.
func wasBarred(status v1alpha1.MockServerStatus) bool {
	found := readyOf(status)
	return found != nil && (found.Reason == v1alpha1.ReasonGameServerLimitReached || found.Reason == v1alpha1.ReasonDomainInMaintenance)
}

// lostSince returns since when a status has reported that a game server is awaited or unreachable,
// or the zero time if it does not. id is "" for a game server that is not registered; of several,
// the first one to be lost counts.
func lostSince(status v1alpha1.MockServerStatus, id string) time.Time {
	found := readyOf(status)
	if found == nil || found.Status != metav1.ConditionFalse || !progress[found.Reason] || wasBarred(status) {
		return time.Time{}
	}
	for _, shown := range status.GameServers {
		if shown.ID == id && shown.Reachable {
			return time.Time{}
		}
	}
	return found.LastTransitionTime.Time
}

// changedAt returns since when the MockServer has not been Ready, as far as the status shows.
func (a *attempt) changedAt() time.Time {
	latest := a.server.CreationTimestamp.Time
	if found := readyOf(a.before); found != nil && found.LastTransitionTime.After(latest) {
		latest = found.LastTransitionTime.Time
	}
	return latest
}

// setProgress sets the conditions from the progress of pods and game servers.
func setProgress(server *v1alpha1.MockServer, v view) {
	setIf(server, v1alpha1.ConditionDeployed, v.deployed, fmt.Sprintf("%s: all run as specified", counted(v.wanted, "pod")),
		v1alpha1.ReasonPodsNotReady, v.podsMessage())
	reason, missing := v1alpha1.ReasonRegistering, v.registeredMessage()
	switch {
	case v.limited():
		reason, missing = v1alpha1.ReasonGameServerLimitReached, v.limitMessage()
	case len(v.nameHeld) > 0:
		reason, missing = v1alpha1.ReasonGameServerNameHeld, v.nameHeldMessage()
	}
	setIf(server, v1alpha1.ConditionRegistered, v.registered == v.wanted && v.surplus == 0,
		fmt.Sprintf("%s: all are registered with Takaro", counted(v.wanted, "game server")), reason, missing)
	synced := "StatefulSet and game servers are as specified"
	if v.misnamed > 0 {
		synced += fmt.Sprintf("; %d game servers keep the name that they registered with, since others of the domain have theirs", v.misnamed)
	}
	set(server, v1alpha1.ConditionSynced, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, synced)
}

// progress is the set of reasons that setProgress has already written to the conditions.
var progress = map[string]bool{
	v1alpha1.ReasonPodsNotReady:           true,
	v1alpha1.ReasonRegistering:            true,
	v1alpha1.ReasonGameServersUnreachable: true,
	v1alpha1.ReasonGameServerLimitReached: true,
	v1alpha1.ReasonGameServerNameHeld:     true,
}

// undeployed is the set of reasons for which the pods are not as specified.
var undeployed = map[string]bool{
	v1alpha1.ReasonConnectorUnknown:     true,
	v1alpha1.ReasonRedisNotConfigured:   true,
	v1alpha1.ReasonRedisUnavailable:     true,
	v1alpha1.ReasonSecretNameTaken:      true,
	v1alpha1.ReasonStatefulSetNameTaken: true,
	v1alpha1.ReasonStatefulSetRefused:   true,
}

// failed is the set of reasons that require action by a user or an administrator.
var failed = problem.Failed(
	v1alpha1.ReasonConnectorUnknown, v1alpha1.ReasonRedisNotConfigured, v1alpha1.ReasonStatefulSetNameTaken,
	v1alpha1.ReasonStatefulSetRefused, v1alpha1.ReasonGameServerLimitReached,
)

// conclude sets the conditions from the outcome of an attempt.
func conclude(server *v1alpha1.MockServer, blocked *base.Blocked) {
	defer statusKind.Observed(server)
	if blocked == nil {
		set(server, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified,
			fmt.Sprintf("Takaro reaches %s", counted(replicasOf(server), "game server")))
		return
	}
	if !progress[blocked.Reason] {
		set(server, v1alpha1.ConditionSynced, blocked.Status(), blocked.Reason, blocked.Message)
		if undeployed[blocked.Reason] {
			set(server, v1alpha1.ConditionDeployed, metav1.ConditionFalse, blocked.Reason, blocked.Message)
		}
	}
	set(server, v1alpha1.ConditionReady, metav1.ConditionFalse, blocked.Reason, blocked.Message)
}

// phaseOf derives the phase from the conditions.
func phaseOf(server *v1alpha1.MockServer) v1alpha1.MockServerPhase {
	ready := meta.FindStatusCondition(server.Status.Conditions, v1alpha1.ConditionReady)
	switch {
	case server.DeletionTimestamp != nil:
		return v1alpha1.MockServerDeleting
	case ready == nil || ready.Reason == v1alpha1.ReasonPending:
		return v1alpha1.MockServerPending
	case ready.Status == metav1.ConditionTrue:
		return v1alpha1.MockServerReady
	case ready.Status == metav1.ConditionFalse && failed[ready.Reason]:
		return v1alpha1.MockServerError
	case ready.Reason == v1alpha1.ReasonPodsNotReady || ready.Status == metav1.ConditionUnknown:
		return v1alpha1.MockServerDeploying
	case progress[ready.Reason]:
		return v1alpha1.MockServerRegistering
	default:
		return v1alpha1.MockServerPending
	}
}

// report writes the status if it changed and returns when to reconcile again.
func (r *reconciler) report(ctx context.Context, a *attempt, stored *v1alpha1.MockServer, blocked *base.Blocked) (reconcile.Result, error) {
	if passing, result, err := r.Passing(ctx, a.server, stored, blocked); passing {
		return result, err
	}
	if blocked.KeepsReady() && a.ready {
		return r.After(a.server, blocked) // it stays Ready: nothing is known to be wrong
	}
	conclude(a.server, blocked)
	if err := r.Write(ctx, a.server, stored); err != nil {
		return reconcile.Result{}, err
	}
	r.Announce(a.server, stored, "the MockServer is Ready again")
	if blocked == nil {
		r.Refusals.Forget(client.ObjectKeyFromObject(a.server))
		return reconcile.Result{RequeueAfter: a.again}, nil
	}
	return r.After(a.server, blocked)
}
