// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// turn is the result of one turn of one way.
type turn struct {
	requests, failed int
	first            error // of the failed requests
	took             time.Duration
	cpu              shares
	latencies        []time.Duration // of the successful requests
}

// outcome collects the values of all turns of one way.
type outcome struct {
	perSecond, cpuPer1000, p50, p99 []float64
	requests, failed                int
	first                           error
	cpu                             shares
}

func (o *outcome) add(t turn) {
	good := float64(t.requests - t.failed)
	o.perSecond = append(o.perSecond, good/t.took.Seconds())
	o.cpuPer1000 = append(o.cpuPer1000, t.cpu.sum().Seconds()*1000/max(good, 1))
	o.p50 = append(o.p50, percentile(t.latencies, 0.5))
	o.p99 = append(o.p99, percentile(t.latencies, 0.99))
	if o.cpu == nil {
		o.cpu = shares{}
	}
	for name, used := range t.cpu {
		o.cpu[name] += used
	}
	o.note(t)
}

// note adds only the numbers of requests of a turn.
func (o *outcome) note(t turn) {
	o.requests, o.failed = o.requests+t.requests, o.failed+t.failed
	if o.first == nil {
		o.first = t.first
	}
}

// spend starts to measure CPU and to profile a way, after a garbage collection in all programs. The
// returned function ends both and returns the used CPU.
func (b *bed) spend(ctx context.Context, w way) (used func() (shares, error), err error) {
	if _, err := b.collect(ctx); err != nil {
		return nil, err
	}
	before, err := b.cpu()
	if err != nil {
		return nil, err
	}
	endProfile := b.profile(ctx, w)
	return func() (shares, error) {
		after, err := b.cpu()
		return after.since(before), errors.Join(err, endProfile())
	}, nil
}

// turn sends requests by concurrent workers and measures time and CPU, after a garbage collection
// in all programs.
func (b *bed) turn(ctx context.Context, w way, requests, workers int, do func(ctx context.Context, n int) error) (turn, error) {
	used, err := b.spend(ctx, w)
	if err != nil {
		return turn{}, err
	}
	t := turn{requests: requests}
	begin := time.Now()
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			var mine []time.Duration
			failed, first := 0, error(nil)
			for n := int(next.Add(1)) - 1; n < requests && ctx.Err() == nil; n = int(next.Add(1)) - 1 {
				sent := time.Now()
				if err := do(ctx, n); err != nil {
					failed, first = failed+1, err
					continue
				}
				mine = append(mine, time.Since(sent))
			}
			mu.Lock()
			defer mu.Unlock()
			t.latencies = append(t.latencies, mine...)
			t.failed += failed
			if t.first == nil {
				t.first = first
			}
		})
	}
	group.Wait()
	t.took = time.Since(begin)
	t.cpu, err = used()
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	return t, err
}

// takeTurns alternates between the ways, with the given number of requests per turn, after a
// warm-up. It calls do with each n at most once per way.
func (b *bed) takeTurns(ctx context.Context, ways []way, requests, workers int, do func(ctx context.Context, w way,
	n int) error) (map[way]*outcome, error) {
	outcomes := map[way]*outcome{}
	for _, w := range ways {
		outcomes[w] = &outcome{}
	}
	for round := -1; round < b.plan.Rounds; round++ {
		from, count := round*requests, requests
		if round < 0 {
			from, count = b.plan.Rounds*requests, warmUp(requests)
		}
		for _, w := range ways {
			t, err := b.turn(ctx, w, count, workers, func(ctx context.Context, n int) error { return do(ctx, w, from+n) })
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
	return outcomes, nil
}

// warmUp returns the number of requests before the measured ones.
func warmUp(requests int) int { return max(requests/10, 1) }

// taken returns the number of objects that takeTurns needs for one way.
func (b *bed) taken(requests int) int { return b.plan.Rounds*requests + warmUp(requests) }

// cpuSuffix is the suffix of the names of measures of CPU. Their notes list the programs that used
// it.
const cpuSuffix = ", CPU"

// compared returns a row that compares a value of the outcomes of two ways.
func compared(measure, variant, unit string, ours, crd *outcome, value func(*outcome) []float64, goal *Goal) Row {
	row := Row{
		Measure: measure, Variant: variant, Unit: unit, Goal: goal, Requests: ours.requests + crd.requests, Failed: ours.failed + crd.failed,
		Ours: spread(value(ours)), CRD: spread(value(crd)), Ratio: spread(quotients(value(ours), value(crd))),
	}
	if strings.HasSuffix(measure, cpuSuffix) {
		row.Note = "Roadstead: " + ours.cpu.text() + "; CRD: " + crd.cpu.text()
	}
	for _, first := range []error{ours.first, crd.first} {
		if first != nil {
			row.Note = "a failure: " + first.Error()
		}
	}
	return row
}

// Values of an outcome.
func perSecond(o *outcome) []float64  { return o.perSecond }
func cpuPer1000(o *outcome) []float64 { return o.cpuPer1000 }
func p50(o *outcome) []float64        { return o.p50 }
func p99(o *outcome) []float64        { return o.p99 }
