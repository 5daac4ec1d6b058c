// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

const (
	// tick is the time between two evaluations of which checks are due.
	tick = 500 * time.Millisecond
	// maxUsers is the maximum number of credentials that are tried for one TakaroEndpoint.
	maxUsers = 5
)

// verifier checks the anchors. It runs in every process: a standby process already measures how
// long an anchor has not been renewed, and need not wait for that once it becomes the leader.
type verifier struct{ *Keeper }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (verifier) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable.
func (v verifier) Start(ctx context.Context) error {
	var looks sync.WaitGroup
	defer looks.Wait()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := v.lookAtDue(ctx, &looks); err != nil {
			log.FromContext(ctx).Error(err, "Look for TakaroEndpoints to verify")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-v.roused:
		}
	}
}

// lookAtDue starts the checks that are due.
func (v verifier) lookAtDue(ctx context.Context, looks *sync.WaitGroup) error {
	list := &v1alpha1.TakaroEndpointList{}
	if err := v.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list TakaroEndpoints: %w", err)
	}
	due := v.due(list.Items)
	if len(due) == 0 {
		return nil
	}
	users, err := v.users(ctx, due)
	for _, e := range due {
		looks.Go(func() {
			at := client.ObjectKeyFromObject(e)
			v.mu.Lock()
			s := v.sightOf(at)
			v.mu.Unlock()
			if err == nil && len(users[at]) > 0 {
				s.looking.Lock()
				v.look(log.IntoContext(ctx, log.FromContext(ctx).WithValues("takaroEndpoint", at)), e, s, users[at])
				s.looking.Unlock()
			}
			v.mu.Lock()
			if s.busy = false; len(users[at]) == 0 {
				s.next = v.Clock.Now().Add(tick)
			}
			v.mu.Unlock()
		})
	}
	return err
}

// due returns the TakaroEndpoints whose check is due, and marks them as busy. It removes the state
// of those that no longer exist.
func (v verifier) due(all []v1alpha1.TakaroEndpoint) []*v1alpha1.TakaroEndpoint {
	v.mu.Lock()
	defer v.mu.Unlock()
	var due []*v1alpha1.TakaroEndpoint
	exists := map[types.NamespacedName]bool{}
	for i := range all {
		e := &all[i]
		exists[client.ObjectKeyFromObject(e)] = true
		s := v.sightOf(client.ObjectKeyFromObject(e))
		if e.Status.Installation != "" && !s.busy && !v.Clock.Now().Before(s.next) {
			s.busy = true
			due = append(due, e.DeepCopy())
		}
	}
	for at, s := range v.sights {
		if !exists[at] && !s.busy && s.unstored == nil {
			delete(v.sights, at)
		}
	}
	return due
}

// users returns for each TakaroEndpoint the objects that use it, one for each set of credentials. A
// MockServer without a Domain is represented by a Domain with its fields.
func (k *Keeper) users(ctx context.Context, endpoints []*v1alpha1.TakaroEndpoint) (map[types.NamespacedName][]*v1alpha1.Domain, error) {
	domains, servers := &v1alpha1.DomainList{}, &v1alpha1.MockServerList{}
	if err := k.Client.List(ctx, domains, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list Domains: %w", err)
	}
	if err := k.Client.List(ctx, servers, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list MockServers: %w", err)
	}
	here := map[string][]*v1alpha1.TakaroEndpoint{}
	for _, e := range endpoints {
		here[e.Namespace] = append(here[e.Namespace], e)
	}
	found := map[types.NamespacedName][]*v1alpha1.Domain{}
	add := func(object client.Object, domain *v1alpha1.Domain) {
		user := userOf(object)
		namespace := k.Namespace
		if user.ownCredentials {
			namespace = user.namespace
		}
		for _, e := range here[namespace] {
			at := client.ObjectKeyFromObject(e)
			if len(found[at]) < maxUsers && user.uses(e, k.Namespace) && !knownCredentials(found[at], domain) {
				found[at] = append(found[at], domain)
			}
		}
	}
	for i := range domains.Items {
		add(&domains.Items[i], &domains.Items[i])
	}
	for i := range servers.Items {
		if servers.Items[i].Spec.DomainRef == nil {
			add(&servers.Items[i], DomainOf(&servers.Items[i]))
		}
	}
	return found, nil
}

// DomainOf returns a Domain with the endpoint fields of a MockServer without a Domain.
func DomainOf(server *v1alpha1.MockServer) *v1alpha1.Domain {
	domain := &v1alpha1.Domain{}
	domain.Namespace = server.Namespace
	domain.Spec.TakaroAPIURL, domain.Spec.ConnectorURL = server.Spec.TakaroAPIURL, server.Spec.ConnectorURL
	domain.Spec.CredentialsSecretRef, domain.Spec.CABundleSecretRef = server.Spec.CredentialsSecretRef, server.Spec.CABundleSecretRef
	return domain
}

// knownCredentials reports whether one of the Domains refers to the same Secrets.
func knownCredentials(domains []*v1alpha1.Domain, domain *v1alpha1.Domain) bool {
	names := func(d *v1alpha1.Domain) [4]string {
		var key [4]string
		for i, ref := range []*v1alpha1.SecretKeyReference{d.Spec.CredentialsSecretRef, d.Spec.CABundleSecretRef} {
			if ref != nil {
				key[2*i], key[2*i+1] = ref.Name, ref.Key
			}
		}
		return key
	}
	for _, known := range domains {
		if names(known) == names(domain) {
			return true
		}
	}
	return false
}
