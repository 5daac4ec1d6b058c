// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base"
)

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
	servers, err := mockServersOf(ctx, r.Client, domain)
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

// mockServerDependents are the MockServers of a Domain.
var mockServerDependents = dependents{
	kind: "MockServer", reason: v1alpha1.ReasonDeletingMockServers,
	list: func(ctx context.Context, reader client.Reader, domain *v1alpha1.Domain) ([]client.Object, error) {
		servers, err := mockServersOf(ctx, reader, domain)
		return objects(servers), err
	},
}

// domainOfMockServer maps a MockServer to its Domain, which counts its game servers and may wait for it to go.
func domainOfMockServer(_ context.Context, object client.Object) []reconcile.Request {
	server := object.(*v1alpha1.MockServer)
	if server.Spec.DomainRef == nil {
		return nil
	}
	return []reconcile.Request{base.RequestFor(server.Namespace, server.Spec.DomainRef.Name)}
}

// mockServerCounts lets through the changes of a MockServer by which its Domain's counts change.
var mockServerCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.MockServer), e.ObjectNew.(*v1alpha1.MockServer)
	return len(before.Status.GameServers) != len(now.Status.GameServers) || before.Status.Reachable != now.Status.Reachable
}}
