// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/problem"
	"roadstead.dev/roadstead/pkg/engine/anchor"
)

// Users are the objects that use a TakaroEndpoint.
type Users struct {
	Domains []*v1alpha1.Domain
	// MockServers contains those without a Domain.
	MockServers []*v1alpha1.MockServer
}

// OnChange registers f, which is called with the objects of a TakaroEndpoint for which the result
// of At changed: that Takaro was verified, or why not. f must neither block nor modify the objects.
// OnChange must be called before the manager starts.
func (k *Keeper) OnChange(f func(context.Context, Users)) { k.listeners = append(k.listeners, f) }

// tell wakes the objects of a TakaroEndpoint if the state that they wait for has changed, or if the
// last check succeeded after one that failed: a verified Takaro stays verified for a while, but an
// object may have been rejected in the meantime, and wait.
func (k *Keeper) tell(ctx context.Context, e *v1alpha1.TakaroEndpoint, recovered bool) {
	at := client.ObjectKeyFromObject(e)
	k.mu.Lock()
	s := k.sightOf(at)
	news := string(s.decision.State)
	switch {
	case k.verified(at) || waitsForPerson(s.decision.State):
	case s.failed != nil:
		news = problem.Classify("", s.failed).Reason
	default:
		news = string(anchor.Verifying)
	}
	changed := k.leads && news != s.told
	if changed {
		s.told = news
		// Domains that were missing at another Takaro are no evidence about this one.
		k.forgetAbsences(at)
	}
	wake := changed || k.leads && recovered
	k.publish()
	k.mu.Unlock()
	if !wake {
		return
	}
	users, err := k.usersOf(ctx, e)
	if err != nil {
		log.FromContext(ctx).Error(err, "Wake the objects of a TakaroEndpoint")
		return
	}
	for _, f := range k.listeners {
		f(ctx, users)
	}
}

// forgetAbsences resets the observation of domains that were missing in one list. The caller must
// hold mu.
func (k *Keeper) forgetAbsences(at types.NamespacedName) {
	known := k.endpoints[at]
	if known == nil {
		return
	}
	for name, domain := range known.domains {
		if !domain.due {
			k.gone.Present(name)
		}
	}
}

// usersOf returns the objects that use a TakaroEndpoint.
func (k *Keeper) usersOf(ctx context.Context, e *v1alpha1.TakaroEndpoint) (Users, error) {
	var users Users
	domains, servers := &v1alpha1.DomainList{}, &v1alpha1.MockServerList{}
	if err := k.Client.List(ctx, domains, client.UnsafeDisableDeepCopy); err != nil {
		return users, err
	}
	if err := k.Client.List(ctx, servers, client.UnsafeDisableDeepCopy); err != nil {
		return users, err
	}
	for i := range domains.Items {
		if userOf(&domains.Items[i]).uses(e, k.Namespace) {
			users.Domains = append(users.Domains, &domains.Items[i])
		}
	}
	for i := range servers.Items {
		if servers.Items[i].Spec.DomainRef == nil && userOf(&servers.Items[i]).uses(e, k.Namespace) {
			users.MockServers = append(users.MockServers, &servers.Items[i])
		}
	}
	return users, nil
}
