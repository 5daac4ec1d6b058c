// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/base/conditions"
)

// set puts a condition into the status of a MockServer.
func set(server *v1alpha1.MockServer, kind string, status metav1.ConditionStatus, reason, message string) {
	conditions.Set(&server.Status.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: server.Generation,
	}, conditions.OneOf(failed))
}

// setIf is set for a condition that is as good as its question.
func setIf(server *v1alpha1.MockServer, kind string, is bool, yes, reason, no string) {
	if is {
		set(server, kind, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified, yes)
		return
	}
	set(server, kind, metav1.ConditionFalse, reason, no)
}

// begin says that pods are being made for the first time; see record.
func begin(server *v1alpha1.MockServer) {
	server.Status.ObservedGeneration = server.Generation
	for _, kind := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionRegistered} {
		set(server, kind, metav1.ConditionUnknown, v1alpha1.ReasonReconciling, "the pods are being made")
	}
	server.Status.Phase = phaseOf(server)
}

// readyOf returns the condition Ready of a status, nil without.
func readyOf(status v1alpha1.MockServerStatus) *metav1.Condition {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
}

// settled tells whether a status says that the present spec is fulfilled.
func settled(server *v1alpha1.MockServer, status v1alpha1.MockServerStatus) bool {
	found := readyOf(status)
	return found != nil && found.Status == metav1.ConditionTrue && found.ObservedGeneration == server.Generation
}

// wasBarred tells whether a status says that Takaro did not let game servers register.
func wasBarred(status v1alpha1.MockServerStatus) bool {
	found := readyOf(status)
	return found != nil && (found.Reason == v1alpha1.ReasonGameServerLimitReached || found.Reason == v1alpha1.ReasonDomainInMaintenance)
}

// lostSince returns since when a status tells that a game server, of an id or "" while it is not registered, is awaited or
// not reached; zero when it does not tell so. Of several the first to be lost counts.
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

// changedAt returns since when the MockServer has not been Ready, as far as its status tells.
func (a *attempt) changedAt() time.Time {
	latest := a.server.CreationTimestamp.Time
	if found := readyOf(a.before); found != nil && found.LastTransitionTime.After(latest) {
		latest = found.LastTransitionTime.Time
	}
	return latest
}

// setProgress puts into the conditions how far pods and game servers are.
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

// progress are the reasons that setProgress has put into the conditions already.
var progress = map[string]bool{
	v1alpha1.ReasonPodsNotReady:           true,
	v1alpha1.ReasonRegistering:            true,
	v1alpha1.ReasonGameServersUnreachable: true,
	v1alpha1.ReasonGameServerLimitReached: true,
	v1alpha1.ReasonGameServerNameHeld:     true,
}

// undeployed are the reasons for which there are no pods as specified.
var undeployed = map[string]bool{
	v1alpha1.ReasonConnectorUnknown:     true,
	v1alpha1.ReasonRedisNotConfigured:   true,
	v1alpha1.ReasonRedisUnavailable:     true,
	v1alpha1.ReasonSecretNameTaken:      true,
	v1alpha1.ReasonStatefulSetNameTaken: true,
	v1alpha1.ReasonStatefulSetRefused:   true,
}

// failed are the reasons that need a person.
var failed = map[string]bool{
	v1alpha1.ReasonEndpointNotConfigured:  true,
	v1alpha1.ReasonEndpointNotTakaro:      true,
	v1alpha1.ReasonEndpointRefused:        true,
	v1alpha1.ReasonAdminTokenRefused:      true,
	v1alpha1.ReasonSecretKeyMissing:       true,
	v1alpha1.ReasonSecretNameTaken:        true,
	v1alpha1.ReasonNamespaceNotServed:     true,
	v1alpha1.ReasonRequestRefused:         true,
	v1alpha1.ReasonSearchTooLarge:         true,
	v1alpha1.ReasonConnectorUnknown:       true,
	v1alpha1.ReasonRedisNotConfigured:     true,
	v1alpha1.ReasonStatefulSetNameTaken:   true,
	v1alpha1.ReasonStatefulSetRefused:     true,
	v1alpha1.ReasonGameServerLimitReached: true,
}

// conclude puts the outcome of an attempt into the conditions.
func conclude(server *v1alpha1.MockServer, blocked *base.Blocked) {
	server.Status.ObservedGeneration = server.Generation
	if blocked == nil {
		set(server, v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonAsSpecified,
			fmt.Sprintf("Takaro reaches %s", counted(replicasOf(server), "game server")))
		server.Status.Phase = phaseOf(server)
		return
	}
	if !progress[blocked.Reason] {
		status := metav1.ConditionFalse
		if blocked.Unknown {
			status = metav1.ConditionUnknown
		}
		set(server, v1alpha1.ConditionSynced, status, blocked.Reason, blocked.Message)
		if undeployed[blocked.Reason] {
			set(server, v1alpha1.ConditionDeployed, metav1.ConditionFalse, blocked.Reason, blocked.Message)
		}
	}
	set(server, v1alpha1.ConditionReady, metav1.ConditionFalse, blocked.Reason, blocked.Message)
	server.Status.Phase = phaseOf(server)
}

// phaseOf derives the word for people from the conditions.
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

// report writes the status if it changed and says when to look again.
func (r *reconciler) report(ctx context.Context, a *attempt, stored *v1alpha1.MockServer, blocked *base.Blocked) (reconcile.Result, error) {
	if blocked.Outdated() {
		return reconcile.Result{}, blocked.Err
	}
	if blocked != nil && blocked.Reason == v1alpha1.ReasonQueued {
		return r.reportQueued(ctx, a, stored, blocked)
	}
	if blocked.KeepsReady() && settled(a.server, a.before) {
		return r.after(a, blocked) // it stays Ready: nothing is known to be wrong
	}
	conclude(a.server, blocked)
	if err := r.write(ctx, a, stored); err != nil {
		return reconcile.Result{}, err
	}
	r.announce(a, stored)
	if blocked == nil {
		r.refusals.Forget(client.ObjectKeyFromObject(a.server))
		return reconcile.Result{RequeueAfter: a.again}, nil
	}
	return r.after(a, blocked)
}

// after returns when to reconcile a MockServer that was stopped again. An error is retried with
// back-off, and its result would be ignored.
func (r *reconciler) after(a *attempt, blocked *base.Blocked) (reconcile.Result, error) {
	wait := r.refusals.Wait(client.ObjectKeyFromObject(a.server), blocked.Reason, blocked.RequeueAfter)
	if blocked.Err != nil {
		return reconcile.Result{}, blocked.Err
	}
	return reconcile.Result{RequeueAfter: wait}, nil
}

// write stores the draft of the status. The comparison is with what the API server has: the draft may already have been
// written on the way.
func (r *reconciler) write(ctx context.Context, a *attempt, stored *v1alpha1.MockServer) error {
	if a.server.ResourceVersion == stored.ResourceVersion && apiequality.Semantic.DeepEqual(a.server.Status, stored.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.client.Status().Update(ctx, a.server))
}
