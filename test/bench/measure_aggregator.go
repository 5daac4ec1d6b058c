// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"roadstead.dev/roadstead/test/peer"
)

// aggregatorLimit is the latency that kube-apiserver may add to a request, in milliseconds.
const aggregatorLimit = 1.2

// measureAggregator reads one User, alternately directly and through kube-apiserver.
func measureAggregator(ctx context.Context, b *bed) ([]Row, error) {
	outcomes, err := b.takeTurns(ctx, []way{oursJSON, oursDirect}, b.plan.Singles, 1, func(ctx context.Context, w way, _ int) error {
		_, err := b.get(ctx, w, w.collection(peer.User, mainNamespace)+"/"+userName(0))
		return err
	})
	if err != nil {
		return nil, err
	}
	through, direct := outcomes[oursJSON], outcomes[oursDirect]
	row := Row{
		Measure: "added by the aggregator, p50", Variant: "get, JSON, 1 KB, one client", Unit: "ms", Goal: atMost(ofOurs, aggregatorLimit),
		Requests: through.requests + direct.requests, Failed: through.failed + direct.failed,
	}
	var added []float64
	for i := range through.p50 {
		added = append(added, through.p50[i]-direct.p50[i])
	}
	row.Ours = spread(added)
	past := Row{
		Measure: "get past kube-apiserver, p50", Variant: "JSON, 1 KB, one client, one name", Unit: "ms", Ours: spread(direct.p50),
		Requests: direct.requests, Failed: direct.failed,
	}
	return []Row{row, past}, nil
}
