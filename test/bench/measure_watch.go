// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"roadstead.dev/roadstead/test/peer"
)

const (
	// watchedDomains is the number of Domains that change in each namespace.
	watchedDomains = 10
	// leastRate is the part of the target rate below which a row is invalid.
	leastRate = 0.8
	// drainLimit is how long events may be in transit after the last update.
	drainLimit = 10 * time.Second
)

func placeName(n int) string   { return fmt.Sprintf("bench-place-%d", n) }
func watchedName(n int) string { return fmt.Sprintf("watched-%d", n) }

// measureWatch has many clients watch Domains that change at a steady rate. Each client watches one
// namespace, so that an update is sent to some of them.
func measureWatch(ctx context.Context, b *bed) ([]Row, error) {
	ways := []way{oursJSON, crdJSON, oursProtobuf}
	for place := range b.plan.Places {
		if err := b.namespace(ctx, placeName(place)); err != nil {
			return nil, err
		}
		for _, w := range ways[:2] {
			for n := range watchedDomains {
				body, err := w.encode(domain(watchedName(n), baseSize))
				if err != nil {
					return nil, err
				}
				if err := b.create(ctx, w, w.collection(peer.Domain, placeName(place)), body); err != nil {
					return nil, err
				}
			}
		}
	}
	outcomes := map[way]*outcome{}
	for _, w := range ways {
		outcomes[w] = &outcome{}
	}
	for round := -1; round < b.plan.Rounds; round++ {
		for _, w := range ways {
			window := b.plan.Watching
			if round < 0 {
				window = time.Second
			}
			t, err := b.watchTurn(ctx, w, window)
			if err != nil {
				return nil, err
			}
			if round < 0 {
				outcomes[w].note(t)
			} else {
				outcomes[w].add(t)
			}
		}
	}
	return b.watchRows(outcomes), nil
}

func (b *bed) watchRows(outcomes map[way]*outcome) []Row {
	each := b.plan.Watchers / b.plan.Places
	variant := fmt.Sprintf("%d watchers of %d namespaces, %d updates/s, each to %d of them, %%s", b.plan.Watchers,
		b.plan.Places, b.plan.Rate, each)
	ours, binary, crd := outcomes[oursJSON], outcomes[oursProtobuf], outcomes[crdJSON]
	rows := []Row{
		compared("watch, CPU", fmt.Sprintf(variant, "protobuf"), "ms/1,000 events", binary, crd, cpuPerEvent, atMost(ofRatio, 0.35)),
		compared("watch, CPU", fmt.Sprintf(variant, "JSON"), "ms/1,000 events", ours, crd, cpuPerEvent, atMost(ofRatio, 0.35)),
		compared("watch, p99 of delivery", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, p99, atMost(ofRatio, 0.5)),
		compared("watch, p99 of delivery", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, p99, atMost(ofRatio, 0.5)),
	}
	want := float64(b.plan.Rate * each)
	for i, o := range []*outcome{binary, ours, binary, ours} {
		came := fmt.Sprintf("%.0f and %.0f of %.0f events/s", median(o.perSecond), median(crd.perSecond), want)
		switch {
		case min(median(o.perSecond), median(crd.perSecond)) < leastRate*want:
			rows[i].Problem = "the machine does not keep up with the rate: " + came
		case rows[i].Failed == 0:
			rows[i].Note = strings.TrimPrefix(rows[i].Note+"; "+came+
				"; the CPU includes the updates; delivery is measured from before an update is sent", "; ")
		}
	}
	return rows
}

func cpuPerEvent(o *outcome) []float64 { return o.cpuPer1000 }

// watchTurn opens all watches, updates Domains for the window and counts the events. The number of
// requests in its result is that of the expected events.
func (b *bed) watchTurn(ctx context.Context, w way, window time.Duration) (turn, error) {
	watching, end := context.WithCancel(ctx)
	open := &watchers{}
	defer open.done.Wait()
	defer end()
	if err := b.openWatches(watching, open, w); err != nil {
		return turn{}, fmt.Errorf("open watches: %w", err)
	}
	used, err := b.spend(ctx, w)
	if err != nil {
		return turn{}, err
	}
	begin := time.Now()
	updates, failed, first := b.update(ctx, w, window)
	took := time.Since(begin)
	expected := (updates - failed) * (b.plan.Watchers / b.plan.Places)
	open.await(ctx, expected)
	cpu, err := used()
	if err != nil {
		return turn{}, err
	}
	end()
	open.done.Wait()
	t := turn{requests: expected, failed: max(expected-len(open.all), 0) + failed, first: first, took: took, cpu: cpu, latencies: open.all}
	if t.failed > 0 && t.first == nil {
		t.first = fmt.Errorf("%d of %d events did not come", t.failed, expected)
	}
	return t, ctx.Err()
}

func (b *bed) openWatches(ctx context.Context, open *watchers, w way) error {
	var opening errgroup.Group
	opening.SetLimit(b.plan.Workers)
	for place := range b.plan.Places {
		since, err := b.latestVersion(ctx, w, placeName(place))
		if err != nil {
			return err
		}
		for range b.plan.Watchers / b.plan.Places {
			opening.Go(func() error { return open.open(ctx, b, w, placeName(place), since) })
		}
	}
	return opening.Wait()
}

// update changes the watched Domains at the rate of the plan. It does not wait for responses unless
// all writers are busy.
func (b *bed) update(ctx context.Context, w way, window time.Duration) (sent, failed int, first error) {
	ticker := time.NewTicker(time.Second / time.Duration(b.plan.Rate))
	defer ticker.Stop()
	var group errgroup.Group
	group.SetLimit(2 * b.plan.Workers)
	var bad atomic.Int64
	for end := time.Now().Add(window); time.Now().Before(end) && ctx.Err() == nil; sent++ {
		<-ticker.C
		path := w.collection(peer.Domain, placeName(sent%b.plan.Places)) + "/" + watchedName(sent/b.plan.Places%watchedDomains)
		group.Go(func() error {
			err := b.patch(ctx, w, path, mergeType, []byte(`{"metadata":{"annotations":{"sent":"`+stamp(time.Now())+`"}}}`))
			if err != nil {
				bad.Add(1)
			}
			return err
		})
	}
	first = group.Wait()
	return sent, int(bad.Load()), first
}
