// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/ownership"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// maxKnown is the maximum number of known domains that are read if the recorded anchor is not
// found.
const maxKnown = 20

// errNoCredentials is returned for a TakaroEndpoint that is no longer used.
var errNoCredentials = errors.New("no object that uses this TakaroEndpoint has credentials")

// ask queries Takaro with the first credentials that it accepts.
func (k *Keeper) ask(ctx context.Context, e *v1alpha1.TakaroEndpoint, s *sight, users []*v1alpha1.Domain) (anchor.Look, *takaro.Client,
	error) {
	if len(users) == 0 {
		k.mu.Lock()
		last := s.client
		k.mu.Unlock()
		if last == nil {
			return anchor.Look{}, nil, errNoCredentials
		}
		look, err := k.askWith(ctx, e, s, last)
		return look, last, err
	}
	var failed error
	for _, user := range users {
		resolved, err := k.Endpoints.Resolve(ctx, user)
		var c *takaro.Client
		if err == nil {
			k.mu.Lock()
			s.tried = endpoint.KeyOf(resolved.Endpoint)
			k.mu.Unlock()
			c, err = k.Pool.Client(resolved.Endpoint)
		}
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		c = c.Unlimited()
		look, err := k.askWith(ctx, e, s, c)
		if !takaro.IsUnauthorized(err) {
			return look, c, err
		}
		failed = err // more useful than the error of a missing Secret
	}
	return anchor.Look{}, nil, failed
}

func (k *Keeper) askWith(ctx context.Context, e *v1alpha1.TakaroEndpoint, s *sight, c *takaro.Client) (anchor.Look, error) {
	ctx, cancel := context.WithTimeout(ctx, anchor.RenewTimeout)
	defer cancel()
	found, err := k.findAnchor(ctx, e, s, c)
	if err != nil {
		return anchor.Look{}, fmt.Errorf("looking for the anchor: %w", err)
	}
	look := anchor.Look{}
	if found != nil {
		look.Anchor = anchorOf(found)
	}
	if recorded := identityOf(e); look.Anchor == nil || recorded == nil || look.Anchor.Identity != *recorded {
		if look.Known, err = k.known(ctx, e, c); err != nil {
			return anchor.Look{}, fmt.Errorf("looking for known domains: %w", err)
		}
	}
	return look, nil
}

// findAnchor reads the recorded anchor, and renews it if this process holds it. If it does not
// exist, findAnchor searches for the reference.
func (k *Keeper) findAnchor(ctx context.Context, e *v1alpha1.TakaroEndpoint, s *sight, c *takaro.Client) (*takaro.Domain, error) {
	if recorded := e.Status.Anchor; recorded != nil {
		k.mu.Lock()
		renew := k.verified(client.ObjectKeyFromObject(e)) && s.found != nil && s.found.ID == recorded.ID
		k.mu.Unlock()
		read := c.GetDomain
		if renew {
			read = func(ctx context.Context, id string) (*takaro.Domain, error) {
				return c.UpdateDomain(ctx, id, takaro.DomainUpdate{})
			}
		}
		found, err := read(ctx, recorded.ID)
		if err == nil || !takaro.IsNotFound(err) {
			return found, err
		}
	}
	return c.FindDomainByReference(ctx, anchor.Reference(e.Status.Installation))
}

// known searches for the newest domains that Roadstead holds.
func (k *Keeper) known(ctx context.Context, e *v1alpha1.TakaroEndpoint, c *takaro.Client) (anchor.Known, error) {
	owned, err := k.heldAt(ctx, e)
	if err != nil || len(owned) == 0 {
		return anchor.NoneKnown, err
	}
	for _, one := range owned[:min(len(owned), maxKnown)] {
		domain, err := c.GetDomain(ctx, one.ID)
		switch {
		case takaro.IsNotFound(err):
		case err != nil:
			return "", err
		case domain.ExternalReference != nil && slices.Contains(one.references, *domain.ExternalReference):
			return anchor.OneAnswers, nil
		}
	}
	return anchor.NoneAnswers, nil
}

// heldDomain is a domain that is recorded as Held, with its references.
type heldDomain struct {
	ownership.Record
	object     types.NamespacedName
	references []string
}

// heldAt returns the domains that are held at a TakaroEndpoint, the newest first.
func (k *Keeper) heldAt(ctx context.Context, e *v1alpha1.TakaroEndpoint) ([]heldDomain, error) {
	list := &v1alpha1.DomainList{}
	if err := k.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list Domains: %w", err)
	}
	var all []heldDomain
	for i := range list.Items {
		domain := &list.Items[i]
		if domain.Status.Ownership == nil || !userOf(domain).uses(e, k.Namespace) {
			continue
		}
		for _, r := range domain.Status.Ownership.Records {
			if r.State == ownership.Held && r.ID != "" {
				all = append(all, heldDomain{r, client.ObjectKeyFromObject(domain), []string{r.Key, cmp.Or(domain.Spec.ExternalReferenceID, r.Key)}})
			}
		}
	}
	slices.SortFunc(all, func(a, b heldDomain) int { return b.Since.Compare(a.Since.Time) })
	return all, nil
}

// identityOf returns the recorded identity, or nil if there is none.
func identityOf(e *v1alpha1.TakaroEndpoint) *anchor.Identity {
	if e.Status.Anchor == nil {
		return nil
	}
	return &anchor.Identity{ID: e.Status.Anchor.ID, Created: e.Status.Anchor.CreatedAt.UTC()}
}

// anchorOf converts a domain to an anchor. The API stores times in seconds.
func anchorOf(d *takaro.Domain) *anchor.Anchor {
	return &anchor.Anchor{
		Identity: anchor.Identity{ID: d.ID, Created: d.CreatedAt.UTC().Truncate(time.Second)},
		Holder:   anchor.HolderOf(d.Name), Changed: d.UpdatedAt,
	}
}

// recorded converts the identity to its stored form.
func recorded(i anchor.Identity) *v1alpha1.Anchor {
	return &v1alpha1.Anchor{ID: i.ID, CreatedAt: metav1.NewTime(i.Created)}
}
