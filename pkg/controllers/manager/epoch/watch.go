// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"fmt"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

const (
	// watchInterval is the time between two reads of the record.
	watchInterval = 5 * time.Second
	// absenceLimit is how long the record may be absent. A server that uses the store restores it
	// within seconds, so a longer absence means that the installation or its store is being
	// replaced.
	absenceLimit = 30 * time.Second
)

// Watch reads the record until it shows that the epoch of this process is over. It implements
// manager.Runnable, and its error ends the manager.
type Watch struct {
	source record
	held   storeidentity.Anchor
}

// NewWatch returns the Watch of a process that was started in an epoch; see Await. live must not
// read from a cache.
func NewWatch(live client.Reader, namespace string, held storeidentity.Anchor) *Watch {
	return &Watch{recordIn(live, namespace), held}
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. A standby replica has filled its
// caches too.
func (w *Watch) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable. It returns nil when the context is canceled.
func (w *Watch) Start(ctx context.Context) error {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	var absentSince time.Time
	for {
		seen := w.source.read(ctx)
		if ctx.Err() != nil {
			return nil
		}
		now := time.Now() // includes the monotonic clock, which cannot be set
		switch {
		case seen.state == present || seen.state == invalid:
			absentSince = time.Time{}
		case seen.state == absent && absentSince.IsZero():
			absentSince = now
		}
		if err := over(facts{held: w.held, seen: seen, absentFor: now.Sub(absentSince)}); err != nil {
			klog.ErrorS(err, "The controllers restart", "held", w.held, "record", seen.state)
			return err
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// facts are the inputs of over.
type facts struct {
	held storeidentity.Anchor
	seen observation
	// absentFor is the time since the first response without a record, if none was seen since.
	absentFor time.Duration
}

// over returns why the epoch that a process holds is over, or nil if it may not be. Only responses
// of the API server count: a record that cannot be read is no evidence.
func over(f facts) error {
	switch {
	case f.seen.state == present && f.seen.anchor != f.held:
		return fmt.Errorf("the store has a new epoch, %s instead of %s; restarting, because the caches hold the previous one",
			f.seen.anchor, f.held)
	case f.seen.state == absent && f.absentFor >= absenceLimit:
		return fmt.Errorf("%w for %s; restarting, because the store may no longer be %s, which the caches hold",
			f.seen.err, f.absentFor.Round(time.Second), f.held)
	default:
		return nil
	}
}
