// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"time"

	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// mirror decides when the highest revision is written into the record.
type mirror struct {
	// revision is the record's, at is when it was first seen.
	revision int64
	at       time.Time
	// seen and compactions are those of the last check.
	seen, compactions int64
	// moved tells whether the store was written since by something else than compaction.
	moved bool
}

// note takes in what a check found and tells whether the record is to be raised now. An idle store raises nothing:
// compaction writes into etcd every few minutes, and the record must not follow it.
func (m *mirror) note(record storeidentity.Record, found contents, now time.Time) bool {
	if m.seen == 0 {
		// A server that was killed may have left writes that it did not mirror.
		m.moved = true
	} else if found.revision-m.seen > found.compactions-m.compactions {
		m.moved = true
	}
	m.seen, m.compactions = found.revision, found.compactions
	// Another replica may have been faster.
	m.moved = m.moved && found.revision > record.Revision
	if record.Revision != m.revision || m.at.IsZero() {
		m.revision, m.at = record.Revision, now
	}
	return m.moved && now.Sub(m.at) >= mirrorEvery
}

// raise writes the highest revision into the record when it is time.
func (g *Guard) raise(ctx context.Context, known *knowledge, found contents) error {
	if !g.mirrored.note(*known.record, found, g.clock.Now()) {
		return nil
	}
	return g.write(ctx, known, found.revision)
}

func (g *Guard) write(ctx context.Context, known *knowledge, revision int64) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	record := *known.record
	record.Revision = revision
	if err := g.host.write(ctx, known, holding(record)); err != nil {
		return err
	}
	g.mirrored.moved = false
	return nil
}

// Close writes the highest revision once more. Call it when the server has drained. The gate stays as it is.
func (g *Guard) Close(ctx context.Context) {
	if g.State() != Fits {
		return
	}
	if err := g.writeLast(ctx); err != nil {
		klog.FromContext(ctx).Info("Store identity: the highest revision was not recorded at the end; an older copy may go unnoticed if it is less than a minute behind", "err", err)
	}
}

func (g *Guard) writeLast(ctx context.Context) error {
	g.checking.Lock()
	defer g.checking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := g.store.look(ctx)
	if err != nil {
		return err
	}
	known, err := g.host.look(ctx)
	if err != nil {
		return err
	}
	seen := g.put(found, known, g.floor())
	if Decide(seen) != Fits {
		return nil
	}
	g.mirrored.note(*known.record, found, g.clock.Now())
	if !g.mirrored.moved {
		return nil
	}
	return g.write(ctx, known, found.revision)
}
