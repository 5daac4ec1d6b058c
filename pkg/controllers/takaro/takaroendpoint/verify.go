// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

const (
	// failedWait is between looks while Takaro does not answer.
	failedWait = 2 * time.Second
	// refusedWait is between looks while Takaro refuses the token. A changed token ends it.
	refusedWait = 20 * time.Second
	// circuitWait is between looks while no request is sent to the address.
	circuitWait = time.Second
	// maxActions bounds what follows from one look: to read the object past the cache, to make the
	// anchor and to record it.
	maxActions = 4
)

// look looks at Takaro, judges what it found, and acts on it if this process leads. The caller
// holds s.looking.
func (k *Keeper) look(ctx context.Context, e *v1alpha1.TakaroEndpoint, s *sight, users []*v1alpha1.Domain) {
	begun, recovered := k.Clock.Now(), false
	found, c, err := k.ask(ctx, e, s, users)
	if err == nil {
		k.mu.Lock()
		recovered = s.failed != nil
		s.client, s.failed, s.begun, s.installation = c, nil, begun, e.Status.Installation
		k.mu.Unlock()
		err = k.follow(ctx, e, s, c, found, begun, len(users) > 0)
	}
	if err != nil {
		k.fail(ctx, s, err)
	}
	k.tell(ctx, e, recovered && err == nil)
}

// follow judges a look and carries out what follows. An anchor is made only for what is used: the
// cache may still have a TakaroEndpoint whose anchor was deleted.
func (k *Keeper) follow(
	ctx context.Context, e *v1alpha1.TakaroEndpoint, s *sight, c *takaro.Client, found anchor.Look, begun time.Time, used bool,
) error {
	var d anchor.Decision
	for range maxActions {
		d = k.judgeAnchor(e, s, found, begun)
		current, err := k.currentFor(ctx, e, d)
		if err != nil {
			return err
		}
		if current != nil {
			e = current
			continue
		}
		switch d.Action {
		case anchor.Make:
			if !used {
				return errNoCredentials
			}
			sent := k.Clock.Now()
			made, failed := k.makeAnchor(ctx, e, c)
			if failed != nil || made == nil {
				return failed
			}
			// The reference is unique, so that nobody else can have taken the anchor before.
			found, begun = anchor.Look{Anchor: anchorOf(made)}, sent
			if e, err = k.record(ctx, e, found.Anchor.Identity); err == nil {
				continue
			}
		case anchor.Record:
			if e, err = k.record(ctx, e, d.Identity); err == nil {
				continue
			}
		case anchor.Take:
			name := anchor.Name(e.Status.Installation, k.holder)
			_, err = c.UpdateDomain(ctx, found.Anchor.ID, takaro.DomainUpdate{Name: &name})
		case anchor.None, anchor.Renew: // the next look renews
		}
		if err != nil {
			return err
		}
		break
	}
	if err := k.reportIdentity(ctx, e, d, found); err != nil || d.State != anchor.Verified {
		return err
	}
	if err := k.markLeft(ctx, e, k.guarded(client.ObjectKeyFromObject(e), System(e.Spec.URL), c)); err != nil {
		log.FromContext(ctx).Info("Domains that were left in Takaro could not be marked as retained", "cause", err.Error())
	}
	return nil
}

// currentFor returns the stored object if the decision would stop everything and follows from an older
// one, nil otherwise: the cache may lack what was recorded a moment ago.
func (k *Keeper) currentFor(ctx context.Context, e *v1alpha1.TakaroEndpoint, d anchor.Decision) (*v1alpha1.TakaroEndpoint, error) {
	ready := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionReady)
	if !waitsForPerson(d.State) || ready != nil && ready.Reason == string(d.State) {
		return nil, nil
	}
	current := &v1alpha1.TakaroEndpoint{}
	if err := k.Live.Get(ctx, client.ObjectKeyFromObject(e), current); err != nil {
		return nil, fmt.Errorf("get TakaroEndpoint: %w", err)
	}
	if apiequality.Semantic.DeepEqual(current.Status.Anchor, e.Status.Anchor) {
		return nil, nil
	}
	return current, nil
}

// judgeAnchor decides, and remembers the decision.
func (k *Keeper) judgeAnchor(e *v1alpha1.TakaroEndpoint, s *sight, found anchor.Look, begun time.Time) anchor.Decision {
	k.mu.Lock()
	defer k.mu.Unlock()
	// What a process believes of itself counts from before the request, what it sees of others from
	// after the answer.
	now := k.Clock.Now()
	if found.Anchor != nil && found.Anchor.Holder == k.holder {
		now = begun
	}
	stored := anchor.Stored{Identity: identityOf(e), Accepted: e.Annotations[AcceptAnnotation]}
	stored.HeldByOther = e.Status.Anchor != nil && e.Status.Anchor.HeldBy != ""
	s.decision, s.memory = anchor.Decide(stored, found, k.process(), s.memory, now)
	s.found, s.next = found.Anchor, k.Clock.Now().Add(s.decision.Next)
	return s.decision
}

// fail notes why a look failed. What was verified before stays so until it expires.
func (k *Keeper) fail(ctx context.Context, s *sight, err error) {
	wait := failedWait
	asked, told := takaro.RetryAfter(err)
	switch {
	case takaro.IsCircuitOpen(err):
		wait = circuitWait
	case told:
		wait = min(max(asked, failedWait), anchor.Period)
	case takaro.IsUnauthorized(err):
		wait = refusedWait
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.failed == nil && ctx.Err() == nil {
		log.FromContext(ctx).Info("The anchor in Takaro cannot be verified", "cause", err.Error())
	}
	s.failed, s.next = err, k.Clock.Now().Add(wait)
}

// hurry lets the verifier look soon if that may give another result than the last look: nothing was
// tried yet, or not with this endpoint. The caller holds mu.
func (k *Keeper) hurry(at types.NamespacedName, resolved endpoint.Resolved) {
	s := k.sightOf(at)
	if s.failed != nil && s.tried != endpoint.KeyOf(resolved.Endpoint) {
		s.next = time.Time{}
	}
	k.rouse()
}

// rouse lets the verifier look for what is due.
func (k *Keeper) rouse() {
	select {
	case k.roused <- struct{}{}:
	default:
	}
}
