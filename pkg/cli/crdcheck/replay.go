// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"context"
	"time"

	"roadstead.dev/roadstead/pkg/engine/crd/live"
	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// replay validates the objects of the changed CRDs, one CRD after the other, within one budget.
func (t *tool) replay(ctx context.Context, source *cluster, pairs []sets.Pair) ([]rules.Finding, error) {
	var findings []rules.Finding
	lister := live.NewLister(source.objects)
	end := time.Now().Add(t.options.LiveBudget)
	for i, pair := range pairs {
		// Each CRD gets its share of the remaining time, so that a large kind does not starve the
		// others. 0 would be no limit.
		share := max(time.Until(end)/time.Duration(len(pairs)-i), time.Millisecond)
		result, err := live.Replay(ctx, pair.Old.CRD, pair.New.CRD, lister, live.Options{Budget: share})
		if err != nil {
			return nil, err
		}
		findings = append(findings, result.Findings...)
	}
	return findings, nil
}
