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
	// failedWait is the delay between checks while Takaro does not respond.
	failedWait = 2 * time.Second
	// refusedWait is the delay between checks while Takaro rejects the token. A changed token ends
	// it.
	refusedWait = 20 * time.Second
	// circuitWait is the delay between checks while no request is sent to the address.
	circuitWait = time.Second
	// maxActions limits the actions that follow from one check: to read the object without the
	// cache, to create the anchor and to record it.
	maxActions = 4
)

// look checks Takaro, judges the result, and acts on it if this process is the leader. The caller
// must hold s.looking.
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

// follow judges the result of a check and carries out the decision. An anchor is created only for a
// TakaroEndpoint that is in use: the cache may still contain one whose anchor was deleted.
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
			// The reference is unique, so no other process can have acquired the anchor before.
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
		case anchor.None, anchor.Renew: // the next check renews
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

// currentFor returns the stored object if the decision would block all changes and is based on an
// older version, or nil otherwise: the cache may lack what was just recorded.
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

// judgeAnchor decides, and stores the decision.
func (k *Keeper) judgeAnchor(e *v1alpha1.TakaroEndpoint, s *sight, found anchor.Look, begun time.Time) anchor.Decision {
	k.mu.Lock()
	defer k.mu.Unlock()
	// The validity of this process's own anchor counts from before the request, that of other
	// holders from after the response.
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

// fail records why a check failed. An earlier verification stays valid until it expires.
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

// hurry wakes the verifier. If the last check failed with another endpoint, the next check is due
// immediately. The caller must hold mu.
func (k *Keeper) hurry(at types.NamespacedName, resolved endpoint.Resolved) {
	s := k.sightOf(at)
	if s.failed != nil && s.tried != endpoint.KeyOf(resolved.Endpoint) {
		s.next = time.Time{}
	}
	k.rouse()
}

// rouse wakes the verifier.
func (k *Keeper) rouse() {
	select {
	case k.roused <- struct{}{}:
	default:
	}
}
