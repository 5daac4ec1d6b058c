// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"fmt"
	"time"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/engine/anchor"
	"roadstead.dev/roadstead/pkg/engine/takaro"
)

// check returns why the Takaro must not be swept, or nil if it may. It is called again before each
// deletion: the database at an address can be replaced, and an installation can return, at any
// time.
type check func(context.Context) error

// findAnchor returns the anchor of the installation in Takaro, or nil if there is none.
func (s Sweep) findAnchor(ctx context.Context) (*takaro.Domain, error) {
	found, err := s.Takaro.FindDomainByReference(ctx, anchor.Reference(s.Installation))
	if err != nil {
		return nil, fmt.Errorf("read the anchor of installation %q in Takaro: %w", s.Installation, err)
	}
	return found, nil
}

// known returns the check that the cluster knows this Takaro: the anchor in Takaro is the one that
// the cluster has recorded, and no other installation holds it.
func (s Sweep) known(recorded *Recorded) check {
	return func(ctx context.Context) error {
		found, err := s.findAnchor(ctx)
		if err != nil {
			return err
		}
		return recorded.knows(found)
	}
}

// knows returns an error unless a TakaroEndpoint has recorded the anchor that was found. If any of
// them is held by another installation, it returns an error too, because all of them refer to the
// same Takaro.
func (r *Recorded) knows(found *takaro.Domain) error {
	var missing, other string
	for _, e := range r.endpoints {
		stored := e.Status.Anchor
		place := e.Namespace + "/" + e.Name
		switch {
		case stored == nil:
			missing = place
		case stored.HeldBy != "":
			return fmt.Errorf("another installation (holder %s) writes into the Takaro at %s, and TakaroEndpoint %s waits for a decision. "+
				"Stop the other installation, or run the command that the condition Ready of this TakaroEndpoint shows. "+
				"Then run takaro-sweep again", stored.HeldBy, e.Spec.URL, place)
		case found != nil && same(stored, found):
			return nil
		default:
			other = fmt.Sprintf("TakaroEndpoint %s has recorded domain %s, created at %s", place, stored.ID, moment(stored.CreatedAt.Time))
		}
	}
	switch {
	case other == "":
		return fmt.Errorf("TakaroEndpoint %s has no status.anchor: the controller has not recognized the Takaro at %s yet. "+
			"Start the controller of this release in the cluster, wait until the field is set, and run takaro-sweep again", missing, r.address)
	case found == nil:
		return fmt.Errorf("the Takaro at %s has no anchor of installation %q, and %s: the anchor was deleted, or another database answers. "+
			"Check --endpoint and the database. Wait until the TakaroEndpoint is Ready, and run takaro-sweep again",
			r.address, r.installation, other)
	default:
		return fmt.Errorf("the Takaro at %s is not the one that the cluster knows: its anchor is domain %s, created at %s, but %s. "+
			"Check --endpoint and the database. If the database was replaced on purpose, run the command that the condition Ready of the "+
			"TakaroEndpoint shows, wait until it is Ready, and run takaro-sweep again", r.address, found.ID, moment(found.CreatedAt), other)
	}
}

// same reports whether both are the same anchor. The store keeps times with a resolution of one
// second.
func same(stored *v1alpha1.Anchor, found *takaro.Domain) bool {
	return stored.ID == found.ID && stored.CreatedAt.Time.Truncate(time.Second).Equal(found.CreatedAt.Truncate(time.Second))
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// still returns the check that no installation renews the anchor, after the anchor was not renewed
// for anchor.StandStill. A running installation renews it more often, and creates a missing one.
func (s Sweep) still(ctx context.Context, first *takaro.Domain) (check, error) {
	if _, err := fmt.Fprintf(s.Out, "\nWaiting for %s to see whether an installation renews the anchor ...\n", anchor.StandStill); err != nil {
		return nil, err
	}
	if err := s.sleep(ctx, anchor.StandStill); err != nil {
		return nil, err
	}
	unmoved := func(ctx context.Context) error {
		found, err := s.findAnchor(ctx)
		if err != nil {
			return err
		}
		return moved(s.Installation, first, found)
	}
	return unmoved, unmoved(ctx)
}

// moved returns an error unless both are the same anchor, and it was not changed. Takaro's
// timestamps are compared only with each other.
func moved(installation string, first, second *takaro.Domain) error {
	alive := fmt.Errorf("a living installation %q uses this Takaro", installation)
	const remedy = "Use --kubeconfig of its cluster instead of --cluster-is-lost, or stop its controller"
	equal := func(a, b *takaro.Domain) bool {
		return a.ID == b.ID && a.Name == b.Name && a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt)
	}
	switch {
	case first == nil && second == nil:
		return nil
	case first == nil:
		return fmt.Errorf("%w: it created the anchor, domain %s, a moment ago. %s", alive, second.ID, remedy)
	case second == nil:
		return fmt.Errorf("the anchor of installation %q, domain %s, was deleted a moment ago. "+
			"Find out who deleted it, and run takaro-sweep again", installation, first.ID)
	case equal(first, second):
		return nil
	default:
		return fmt.Errorf("%w: it renews the anchor, domain %s (%q), last at %s. %s",
			alive, second.ID, second.Name, moment(second.UpdatedAt), remedy)
	}
}

// sleep waits for the given time, or until the context is canceled.
func (s Sweep) sleep(ctx context.Context, d time.Duration) error {
	if s.Sleep != nil {
		return s.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
