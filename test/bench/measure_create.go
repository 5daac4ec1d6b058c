// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/test/peer"
)

// objectSizes are the sizes of the JSON of Users. Users of the first size are in mainNamespace,
// those of the others in separate namespaces.
var objectSizes = []int{1 << 10, 4 << 10, 20 << 10}

func sizeText(bytes int) string { return fmt.Sprintf("%d KB", bytes>>10) }

// sizedNamespace returns the namespace of the Users of a size that measureCreate creates.
func sizedNamespace(bytes int) string { return fmt.Sprintf("bench-%dk", bytes>>10) }

// sizedName returns the function that names the n-th User of a way. The names depend on the
// encoding because both encodings of Roadstead use the same namespace.
func sizedName(w way) func(int) string {
	return func(n int) string {
		if w.protobuf {
			return fmt.Sprintf("protobuf-%05d", n)
		}
		return fmt.Sprintf("json-%05d", n)
	}
}

// measureCreate measures single creates, each of which is validated against other objects.
func measureCreate(ctx context.Context, b *bed) ([]Row, error) {
	var rows []Row
	for _, size := range objectSizes {
		of, err := b.createSized(ctx, size)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	schemas, err := b.createSchemas(ctx)
	return append(rows, schemas...), err
}

func (b *bed) createSized(ctx context.Context, size int) ([]Row, error) {
	namespace, ways := sizedNamespace(size), []way{oursJSON, crdJSON, oursProtobuf}
	if err := b.namespace(ctx, namespace); err != nil {
		return nil, err
	}
	count := b.taken(b.plan.Singles)
	bodies := map[way][][]byte{}
	for _, w := range ways {
		if !w.protobuf {
			if err := b.makeDomains(ctx, w, namespace); err != nil {
				return nil, err
			}
		}
		var err error
		if bodies[w], err = userBodies(w, sizedName(w), 0, count, size); err != nil {
			return nil, err
		}
	}
	before, err := b.stored(ctx)
	if err != nil {
		return nil, err
	}
	outcomes, err := b.takeTurns(ctx, ways, b.plan.Singles, 1, func(ctx context.Context, w way, n int) error {
		return b.create(ctx, w, w.collection(peer.User, namespace), bodies[w][n])
	})
	if err != nil {
		return nil, err
	}
	after, err := b.stored(ctx)
	if err != nil {
		return nil, err
	}
	ours, binary, crd := outcomes[oursJSON], outcomes[oursProtobuf], outcomes[crdJSON]
	variant := "Users, %s, " + sizeText(size) + ", one client"
	rows := []Row{
		compared("create, p50", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, p50, atMost(ofRatio, 0.9)),
		compared("create, p50", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, p50, atMost(ofRatio, 0.9)),
		compared("create, CPU", fmt.Sprintf(variant, "JSON"), "s/1,000", ours, crd, cpuPer1000, atMost(ofRatio, 0.5)),
		compared("create, CPU", fmt.Sprintf(variant, "protobuf"), "s/1,000", binary, crd, cpuPer1000, atMost(ofRatio, 0.5)),
	}
	if size != baseSize {
		// Roadstead stores objects of both encodings in the same way.
		rows = append(rows, storedRows(fmt.Sprintf("Users, %s, %d of them", sizeText(size), count), before, after,
			float64(2*count), float64(count))...)
	}
	return rows, nil
}

// createSchemas creates CRDSchemas, each of which is compared with its predecessor.
func (b *bed) createSchemas(ctx context.Context) ([]Row, error) {
	ways := []way{oursJSON, crdJSON}
	requests := max(b.plan.Singles/2, 1)
	bodies := map[way][][]byte{}
	for _, w := range ways {
		first, err := w.encode(crdSchema("first", "", 0))
		if err != nil {
			return nil, err
		}
		if err := b.create(ctx, w, w.collection(peer.CRDSchema, ""), first); err != nil {
			return nil, err
		}
		for n := range b.taken(requests) {
			body, err := w.encode(crdSchema(fmt.Sprintf("next-%05d", n), "first", 1))
			if err != nil {
				return nil, err
			}
			bodies[w] = append(bodies[w], body)
		}
	}
	outcomes, err := b.takeTurns(ctx, ways, requests, 1, func(ctx context.Context, w way, n int) error {
		return b.create(ctx, w, w.collection(peer.CRDSchema, ""), bodies[w][n])
	})
	if err != nil {
		return nil, err
	}
	variant := fmt.Sprintf("CRDSchemas, JSON, %s, one client", sizeText(len(bodies[oursJSON][0])))
	ours, crd := outcomes[oursJSON], outcomes[crdJSON]
	return []Row{
		compared("create, p50", variant, "ms", ours, crd, p50, atMost(ofRatio, 0.9)),
		compared("create, CPU", variant, "s/1,000", ours, crd, cpuPer1000, atMost(ofRatio, 0.5)),
	}, nil
}
