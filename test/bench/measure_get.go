// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"roadstead.dev/roadstead/test/peer"
)

// measureGet reads single Users: by one client, then by many concurrent ones.
func measureGet(ctx context.Context, b *bed) ([]Row, error) {
	rows, err := b.getDistinct(ctx)
	if err != nil {
		return nil, err
	}
	same, err := b.getSame(ctx)
	if err != nil {
		return nil, err
	}
	many, err := b.getMany(ctx, "as shipped")
	return append(append(rows, same...), many...), err
}

// getDistinct reads another User each time. Roadstead sends an authorization request to
// kube-apiserver for each of them and caches the result for some seconds, so the ways read
// different Users.
func (b *bed) getDistinct(ctx context.Context) ([]Row, error) {
	each := b.taken(b.plan.Singles)
	outcomes, err := b.takeTurns(ctx, []way{oursJSON, crdJSON, oursProtobuf}, b.plan.Singles, 1,
		func(ctx context.Context, w way, n int) error {
			if w.protobuf {
				n += each
			}
			_, err := b.get(ctx, w, w.collection(peer.User, mainNamespace)+"/"+userName(n%b.plan.Objects))
			return err
		})
	if err != nil {
		return nil, err
	}
	ours, binary, crd := outcomes[oursJSON], outcomes[oursProtobuf], outcomes[crdJSON]
	const variant = "%s, 1 KB, one client, distinct names"
	return []Row{
		compared("get, p50", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, p50, atMost(ofRatio, 1.3)),
		compared("get, p50", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, p50, atMost(ofRatio, 1.3)),
	}, nil
}

// getSame reads one User repeatedly.
func (b *bed) getSame(ctx context.Context) ([]Row, error) {
	var rows []Row
	for _, size := range objectSizes {
		namespace, name := mainNamespace, userName(0)
		if size != baseSize {
			namespace, name = sizedNamespace(size), "same"
			if err := b.makeSame(ctx, namespace, name, size); err != nil {
				return nil, err
			}
		}
		outcomes, err := b.takeTurns(ctx, []way{oursJSON, crdJSON, oursProtobuf}, b.plan.Singles, 1,
			func(ctx context.Context, w way, _ int) error {
				_, err := b.get(ctx, w, w.collection(peer.User, namespace)+"/"+name)
				return err
			})
		if err != nil {
			return nil, err
		}
		ours, binary, crd := outcomes[oursJSON], outcomes[oursProtobuf], outcomes[crdJSON]
		variant := "%s, " + sizeText(size) + ", one client, one name"
		rows = append(rows,
			compared("get, p50", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, p50, atMost(ofRatio, 1.3)),
			compared("get, p50", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, p50, atMost(ofRatio, 1.3)))
	}
	return rows, nil
}

// makeSame creates one User of a size for both ways.
func (b *bed) makeSame(ctx context.Context, namespace, name string, size int) error {
	if err := b.namespace(ctx, namespace); err != nil {
		return err
	}
	for _, w := range []way{oursJSON, crdJSON} {
		body, err := w.encode(user(name, 0, size))
		if err != nil {
			return err
		}
		if err := b.create(ctx, w, w.collection(peer.User, namespace), body); err != nil {
			return err
		}
	}
	return nil
}

// getMany reads another User each time, by many concurrent clients with one ServiceAccount.
func (b *bed) getMany(ctx context.Context, how string) ([]Row, error) {
	outcomes, err := b.takeTurns(ctx, []way{oursJSON, crdJSON}, b.plan.Reads, b.plan.Workers, func(ctx context.Context, w way, n int) error {
		_, err := b.get(ctx, w, w.collection(peer.User, mainNamespace)+"/"+userName(n%b.plan.Objects))
		return err
	})
	if err != nil {
		return nil, err
	}
	ours, crd := outcomes[oursJSON], outcomes[crdJSON]
	variant := fmt.Sprintf("JSON, 1 KB, distinct names, %d clients, %s", b.plan.Workers, how)
	return []Row{
		compared("get, throughput", variant, "1/s", ours, crd, perSecond, atLeast(1)),
		compared("get, CPU", variant, "s/1,000", ours, crd, cpuPer1000, nil),
	}, nil
}
