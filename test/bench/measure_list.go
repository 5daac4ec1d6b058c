// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"roadstead.dev/roadstead/test/peer"
)

// measureList reads all Users in one list.
func measureList(ctx context.Context, b *bed) ([]Row, error) {
	ways := []way{oursJSON, crdJSON, oursProtobuf}
	sizes := map[way]*atomic.Int64{}
	for _, w := range ways {
		sizes[w] = &atomic.Int64{}
	}
	outcomes, err := b.takeTurns(ctx, ways, b.plan.Lists, 1, func(ctx context.Context, w way, _ int) error {
		size, err := b.get(ctx, w, w.collection(peer.User, mainNamespace))
		sizes[w].Store(size)
		return err
	})
	if err != nil {
		return nil, err
	}
	ours, binary, crd := outcomes[oursJSON], outcomes[oursProtobuf], outcomes[crdJSON]
	variant := fmt.Sprintf("%d Users of 1 KB, %%s", b.plan.Objects)
	rows := []Row{
		compared("list, CPU", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, cpuMillis, atMost(ofRatio, 0.15)),
		compared("list, CPU", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, cpuMillis, atMost(ofRatio, 0.5)),
		compared("list, p50", fmt.Sprintf(variant, "protobuf"), "ms", binary, crd, p50, nil),
		compared("list, p50", fmt.Sprintf(variant, "JSON"), "ms", ours, crd, p50, nil),
	}
	for i, w := range []way{oursProtobuf, oursJSON} {
		rows[i].Note = fmt.Sprintf("response bodies of %.1f MB and %.1f MB", float64(sizes[w].Load())/1e6, float64(sizes[crdJSON].Load())/1e6)
	}
	return rows, nil
}

// cpuMillis returns the CPU time per request, in milliseconds.
func cpuMillis(o *outcome) []float64 { return o.cpuPer1000 }
