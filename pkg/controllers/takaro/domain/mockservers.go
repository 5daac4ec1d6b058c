// SPDX-License-Identifier: Apache-2.0

package domain

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// mockServerDependents describes the MockServers of a Domain.
var mockServerDependents = dependents{
	kind: "MockServer", reason: v1alpha1.ReasonDeletingMockServers, none: &v1alpha1.MockServerList{},
	domainOf: func(object client.Object) string {
		if ref := object.(*v1alpha1.MockServer).Spec.DomainRef; ref != nil {
			return ref.Name
		}
		return ""
	},
}

// countGameServers sets the numbers of the game servers of the Domain's MockServers in the status.
func (r *reconciler) countGameServers(ctx context.Context, domain *v1alpha1.Domain) error {
	servers, err := mockServerDependents.list(ctx, r.Client, domain)
	if err != nil {
		return err
	}
	counts := v1alpha1.GameServerCounts{}
	for _, server := range servers {
		status := &server.(*v1alpha1.MockServer).Status
		counts.Registered += int32(len(status.GameServers))
		counts.Reachable += status.Reachable
	}
	domain.Status.GameServers = counts
	return nil
}

// mockServerCounts accepts the changes of a MockServer that change its Domain's counts.
var mockServerCounts = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, now := e.ObjectOld.(*v1alpha1.MockServer), e.ObjectNew.(*v1alpha1.MockServer)
	return len(before.Status.GameServers) != len(now.Status.GameServers) || before.Status.Reachable != now.Status.Reachable
}}
