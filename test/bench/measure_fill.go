// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roadstead.dev/roadstead/test/peer"
)

// baseSize is the size in bytes of the JSON of the Users that most measures use.
const baseSize = 1 << 10

// measureFill creates the Users that later measures read, by many concurrent clients. It measures
// the cost of the creates, and the memory and storage per User.
func measureFill(ctx context.Context, b *bed) ([]Row, error) {
	ways := []way{oursJSON, crdJSON}
	for _, w := range ways {
		if err := b.makeDomains(ctx, w, mainNamespace); err != nil {
			return nil, err
		}
	}
	size := b.plan.Objects / b.plan.Turns
	outcomes, heaps := map[way]*outcome{oursJSON: {}, crdJSON: {}}, map[way][]float64{}
	// The first turn of each way warms up with objects in another namespace.
	if err := b.warmCreates(ctx, ways, size); err != nil {
		return nil, err
	}
	before, err := b.stored(ctx)
	if err != nil {
		return nil, err
	}
	for round := range b.plan.Turns {
		for _, w := range ways {
			heap, err := b.collect(ctx)
			if err != nil {
				return nil, err
			}
			t, err := b.makeUsers(ctx, w, mainNamespace, round*size, size, baseSize)
			if err != nil {
				return nil, err
			}
			outcomes[w].add(t)
			reported, err := b.reportUsers(ctx, w, mainNamespace, round*size, size)
			if err != nil {
				return nil, err
			}
			outcomes[w].note(reported)
			after, err := b.collect(ctx)
			if err != nil {
				return nil, err
			}
			heaps[w] = append(heaps[w], (after-heap)/float64(size))
		}
	}
	after, err := b.stored(ctx)
	if err != nil {
		return nil, err
	}
	return b.fillRows(outcomes, heaps, before, after)
}

func (b *bed) fillRows(outcomes map[way]*outcome, heaps map[way][]float64, before, after stored) ([]Row, error) {
	ours, crd := outcomes[oursJSON], outcomes[crdJSON]
	variant := fmt.Sprintf("Users, JSON, 1 KB, %d clients", b.plan.Workers)
	count := float64(b.plan.Objects)
	memory := Row{
		Measure: "heap per object", Variant: fmt.Sprintf("Users, 1 KB and status, %d of them", b.plan.Objects), Unit: "bytes",
		Ours: spread(heaps[oursJSON]), CRD: spread(heaps[crdJSON]), Ratio: spread(quotients(heaps[oursJSON], heaps[crdJSON])),
		Goal:     atMost(ofRatio, 0.3),
		Requests: ours.requests + crd.requests, Failed: ours.failed + crd.failed,
		Note: "live heap of all programs; the watch caches keep the latest events too",
	}
	kept := fmt.Sprintf("Users, 1 KB and status, %d of them", b.plan.Objects)
	resident, err := b.resident()
	if err != nil {
		return nil, err
	}
	var sizes []string
	for _, name := range slices.Sorted(maps.Keys(resident)) {
		sizes = append(sizes, fmt.Sprintf("%s %.0f MiB", name, resident[name]))
	}
	memory.Note += "; resident with all of both: " + strings.Join(sizes, ", ")
	return append([]Row{
		compared("create, throughput", variant, "1/s", ours, crd, perSecond, atLeast(2)),
		compared("create, CPU", variant, "s/1,000", ours, crd, cpuPer1000, atMost(ofRatio, 0.5)),
		memory,
	}, storedRows(kept, before, after, count, count)...), nil
}

// storedRows returns rows with the storage per object of both ways.
func storedRows(variant string, before, after stored, ours, crd float64) []Row {
	pages := oneValue("bytes in etcd per object", variant, "bytes", (after.ours.pages-before.ours.pages)/ours,
		(after.crd.pages-before.crd.pages)/crd, atMost(ofRatio, 0.6))
	pages.Note = "pages in use after compaction and defragmentation; those of Roadstead are encrypted and include " +
		"the records that keep logins unique"
	content := oneValue("keys and values in etcd per object", variant, "bytes", (after.ours.content-before.ours.content)/ours,
		(after.crd.content-before.crd.content)/crd, nil)
	return []Row{pages, content}
}

// oneValue returns a row with a single round.
func oneValue(measure, variant, unit string, ours, crd float64, goal *Goal) Row {
	return Row{
		Measure: measure, Variant: variant, Unit: unit, Goal: goal,
		Ours: spread([]float64{ours}), CRD: spread([]float64{crd}), Ratio: spread(quotients([]float64{ours}, []float64{crd})),
	}
}

// warmCreates creates and deletes some Users of each way.
func (b *bed) warmCreates(ctx context.Context, ways []way, count int) error {
	const namespace = "bench-warm"
	if err := b.namespace(ctx, namespace); err != nil {
		return err
	}
	for _, w := range ways {
		if err := b.makeDomains(ctx, w, namespace); err != nil {
			return err
		}
		if t, err := b.makeUsers(ctx, w, namespace, 0, count, baseSize); err != nil || t.first != nil {
			return fmt.Errorf("warm-up: %w", cmp.Or(err, t.first))
		}
		for _, kind := range []peer.Kind{peer.User, peer.Domain} {
			if err := b.clear(ctx, w, w.collection(kind, namespace)); err != nil {
				return err
			}
		}
	}
	return nil
}

// makeDomains creates the Domains of the Users of a namespace.
func (b *bed) makeDomains(ctx context.Context, w way, namespace string) error {
	for n := range domainCount {
		body, err := w.encode(domain(domainName(n), 0))
		if err != nil {
			return err
		}
		if err := b.create(ctx, w, w.collection(peer.Domain, namespace), body); err != nil {
			return err
		}
	}
	return nil
}

// makeUsers creates Users by many concurrent clients, in one turn.
func (b *bed) makeUsers(ctx context.Context, w way, namespace string, from, count, size int) (turn, error) {
	bodies, err := userBodies(w, userName, from, count, size)
	if err != nil {
		return turn{}, err
	}
	path := w.collection(peer.User, namespace)
	return b.turn(ctx, w, count, b.plan.Workers, func(ctx context.Context, n int) error { return b.create(ctx, w, path, bodies[n]) })
}

// reportUsers writes the status of Users, as a controller would.
func (b *bed) reportUsers(ctx context.Context, w way, namespace string, from, count int) (turn, error) {
	path := w.collection(peer.User, namespace)
	return b.turn(ctx, w, count, b.plan.Workers, func(ctx context.Context, n int) error {
		body, err := userStatus(from + n)
		if err != nil {
			return err
		}
		return b.patch(ctx, w, path+"/"+userName(from+n)+"/status", mergeType, body)
	})
}

// userBodies encodes Users before the measured time begins.
func userBodies(w way, name func(int) string, from, count, size int) ([][]byte, error) {
	bodies := make([][]byte, count)
	for n := range bodies {
		body, err := w.encode(user(name(from+n), from+n, size))
		if err != nil {
			return nil, err
		}
		bodies[n] = body
	}
	return bodies, nil
}
