// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// lookUnstored checks a Takaro for which no TakaroEndpoint can be stored, because its namespace is
// being deleted. Its domains must still be deleted, or they would block the namespace forever. An
// anchor is not created, because it could not be removed. Without an anchor, the domains that the
// namespace owns are the proof. An existing anchor is judged as usual, except for its identity.
func (k *Keeper) lookUnstored(ctx context.Context, e *v1alpha1.TakaroEndpoint, user *v1alpha1.Domain) {
	at := client.ObjectKeyFromObject(e)
	k.mu.Lock()
	s := k.sightOf(at)
	if s.unstored == nil {
		s.unstored = e
	}
	e = s.unstored
	// While the circuit is open a check costs no request, and an object that is woken when the
	// circuit closes must not get an outdated result.
	due := !k.Clock.Now().Before(s.next) || takaro.IsCircuitOpen(s.failed)
	k.mu.Unlock()
	if !due {
		return
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	begun := k.Clock.Now()
	found, c, err := k.ask(ctx, e, s, []*v1alpha1.Domain{user})
	if err != nil {
		k.fail(ctx, s, err)
		return
	}
	k.mu.Lock()
	s.client, s.failed, s.installation = c, nil, e.Status.Installation
	if found.Anchor == nil {
		if found.Known != anchor.NoneAnswers {
			s.trusted = begun
		}
		s.next = begun.Add(anchor.SecondLook)
		k.mu.Unlock()
		return
	}
	e.Status.Anchor = recorded(found.Anchor.Identity)
	k.mu.Unlock()
	if k.judgeAnchor(e, s, found, begun).Action == anchor.Take {
		name := anchor.Name(e.Status.Installation, k.holder)
		if _, err := c.UpdateDomain(ctx, found.Anchor.ID, takaro.DomainUpdate{Name: &name}); err != nil {
			k.fail(ctx, s, err)
		}
	}
}
