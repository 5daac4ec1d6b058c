// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// shownMockServers is how many names of MockServers a message holds.
const shownMockServers = 5

// mockServersOf returns the MockServers of a Domain, by name.
func mockServersOf(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]v1alpha1.MockServer, error) {
	list := &v1alpha1.MockServerList{}
	if err := reader.List(ctx, list, client.InNamespace(domain.Namespace)); err != nil {
		return nil, fmt.Errorf("listing the MockServers of the Domain: %w", err)
	}
	servers := slices.DeleteFunc(list.Items, func(server v1alpha1.MockServer) bool {
		return server.Spec.DomainRef == nil || server.Spec.DomainRef.Name != domain.Name
	})
	slices.SortFunc(servers, func(a, b v1alpha1.MockServer) int { return strings.Compare(a.Name, b.Name) })
	return servers, nil
}

// countGameServers puts the numbers of the game servers of the Domain's MockServers into the status.
func (r *reconciler) countGameServers(ctx context.Context, domain *v1alpha1.Domain) error {
	servers, err := mockServersOf(ctx, r.client, domain)
	if err != nil {
		return err
	}
	counts := v1alpha1.GameServerCounts{}
	for i := range servers {
		counts.Registered += int32(len(servers[i].Status.GameServers))
		counts.Reachable += servers[i].Status.Reachable
	}
	domain.Status.GameServers = counts
	return nil
}

// removeMockServers deletes the MockServers of a Domain that is being deleted and returns those that are waited for. Later
// ones than the deletion are not: a tool might make them for ever. Admission refuses those; one that slipped through goes
// with its owner.
func (r *reconciler) removeMockServers(ctx context.Context, domain *v1alpha1.Domain) ([]string, error) {
	awaited, err := r.deleteMockServers(ctx, r.client, domain)
	if err != nil || len(awaited) > 0 {
		return awaited, err
	}
	// None in the cache, which may be behind.
	return r.deleteMockServers(ctx, r.live, domain)
}

func (r *reconciler) deleteMockServers(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]string, error) {
	servers, err := mockServersOf(ctx, reader, domain)
	if err != nil {
		return nil, err
	}
	var awaited []string
	for i := range servers {
		server := &servers[i]
		if !server.CreationTimestamp.After(domain.DeletionTimestamp.Time) {
			awaited = append(awaited, server.Name)
		}
		if server.DeletionTimestamp != nil {
			continue
		}
		err := r.client.Delete(ctx, server, client.Preconditions{UID: ptr.To(server.UID)})
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("deleting MockServer %q of the Domain: %w", server.Name, err)
		}
	}
	return awaited, nil
}

// reportMockServers says for which MockServers a Domain that is being deleted waits. The end of each wakes it.
func (r *reconciler) reportMockServers(ctx context.Context, a *attempt, stored *v1alpha1.Domain, awaited []string) (reconcile.Result, error) {
	domain := a.domain
	shown := strings.Join(awaited[:min(len(awaited), shownMockServers)], ", ")
	if len(awaited) > shownMockServers {
		shown += ", …"
	}
	set(domain, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonDeleting, fmt.Sprintf(
		"waiting for %d MockServers to go before the Takaro domain is dealt with: %s; look at their conditions", len(awaited), shown))
	domain.Status.ObservedGeneration = domain.Generation
	domain.Status.Phase = phaseOf(domain)
	if err := r.countGameServers(ctx, domain); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{RequeueAfter: foreignWait}, r.write(ctx, a, stored)
}

// domainOfMockServer maps a MockServer to its Domain, which counts its game servers and may wait for it to go.
func domainOfMockServer(_ context.Context, object client.Object) []reconcile.Request {
	server := object.(*v1alpha1.MockServer)
	if server.Spec.DomainRef == nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: server.Namespace, Name: server.Spec.DomainRef.Name}}}
}

// mockServerCounts lets through the changes of a MockServer by which its Domain's counts change.
var mockServerCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.MockServer), e.ObjectNew.(*v1alpha1.MockServer)
	return len(before.Status.GameServers) != len(now.Status.GameServers) || before.Status.Reachable != now.Status.Reachable
}}
