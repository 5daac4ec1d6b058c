// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// usage describes the use of a TakaroEndpoint.
type usage struct {
	// used is set if any object uses it.
	used bool
	// domains is the number of Domains that own a domain there. servers is the number of
	// MockServers.
	domains, servers int
	// namespaces contains the namespaces of these Domains.
	namespaces sets.Set[string]
	// deleted contains the Domains whose deletion counts.
	deleted []*v1alpha1.Domain
}

// usage returns the use of the TakaroEndpoint.
func (k *Keeper) usage(ctx context.Context, e *v1alpha1.TakaroEndpoint) (usage, error) {
	list := &v1alpha1.DomainList{}
	if err := k.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return usage{}, fmt.Errorf("list Domains: %w", err)
	}
	found := usage{namespaces: sets.New[string]()}
	there := sets.New[types.NamespacedName]()
	for i := range list.Items {
		domain := &list.Items[i]
		if !userOf(domain).uses(e, k.Namespace) {
			continue
		}
		found.used = true
		found.namespaces.Insert(domain.Namespace)
		there.Insert(client.ObjectKeyFromObject(domain))
		if len(heldIDs(domain)) > 0 {
			found.domains++
		}
		if _, counts := deletionOf(domain); counts {
			found.deleted = append(found.deleted, domain)
		}
	}
	servers := &v1alpha1.MockServerList{}
	if err := k.Client.List(ctx, servers, client.UnsafeDisableDeepCopy); err != nil {
		return usage{}, fmt.Errorf("list MockServers: %w", err)
	}
	for i := range servers.Items {
		server := &servers.Items[i]
		switch ref := server.Spec.DomainRef; {
		case ref != nil && there.Has(types.NamespacedName{Namespace: server.Namespace, Name: ref.Name}):
			found.servers++
		case userOf(server).uses(e, k.Namespace):
			found.servers++
			found.used = true
		}
	}
	return found, nil
}
