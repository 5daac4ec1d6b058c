// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// Fingerprints returns those that the record holds for a Secret.
func (g *Guard) Fingerprints(secret string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Clone(g.fingerprints[secret])
}

// SetFingerprints writes those of a Secret into the record. It is an error while the store is not bound, or the record is not
// the one of the bound store.
func (g *Guard) SetFingerprints(ctx context.Context, secret string, fingerprints []string) error {
	g.recording.Lock()
	defer g.recording.Unlock()
	g.mu.RLock()
	bound := g.bound
	g.mu.RUnlock()
	if bound == nil {
		return errors.New("the store is not bound")
	}
	known, err := g.host.look(ctx)
	if err != nil {
		return err
	}
	if known.record == nil || known.record.Anchor != anchorOf(bound.Mark) {
		return errors.New("the record of the store is missing or names another one; it is restored first")
	}
	next := *known.record
	next.Fingerprints = maps.Clone(next.Fingerprints)
	next.Fingerprints[secret] = fingerprints
	if len(fingerprints) == 0 {
		delete(next.Fingerprints, secret)
	}
	if err := g.host.write(ctx, known, next, ""); err != nil {
		return err
	}
	g.adopt(known.record)
	return nil
}
