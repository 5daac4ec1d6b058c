// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"roadstead.dev/roadstead/test/peer"
)

// writers is the number of concurrent clients of patches: enough to keep the servers busy, too few
// to make requests queue.
const writers = 8

// measureWrite changes Users by merge patches and by applies, each time to another value.
func measureWrite(ctx context.Context, b *bed) ([]Row, error) {
	var rows []Row
	for _, one := range []struct {
		measure, contentType, query string
		body                        func(w way, n int) any
	}{
		{"merge patch, CPU", mergeType, "", func(_ way, n int) any {
			return map[string]any{"spec": map[string]any{"roles": roles("patch", n)}}
		}},
		{"apply, CPU", applyType, "?fieldManager=bench&force=true", func(w way, n int) any {
			return map[string]any{
				"apiVersion": w.group(peer.User) + "/" + peer.Version, "kind": peer.User.Name,
				"metadata": map[string]any{"name": userName(n % b.plan.Objects)},
				"spec":     map[string]any{"roles": roles("apply", n)},
			}
		}},
	} {
		outcomes, err := b.takeTurns(ctx, []way{oursJSON, crdJSON}, b.plan.Writes, writers, func(ctx context.Context, w way, n int) error {
			body, err := json.Marshal(one.body(w, n))
			if err != nil {
				return err
			}
			return b.patch(ctx, w, w.collection(peer.User, mainNamespace)+"/"+userName(n%b.plan.Objects)+one.query, one.contentType, body)
		})
		if err != nil {
			return nil, err
		}
		variant := fmt.Sprintf("Users, JSON, 1 KB, %d clients", writers)
		rows = append(rows, compared(one.measure, variant, "s/1,000", outcomes[oursJSON], outcomes[crdJSON], cpuPer1000, atMost(ofRatio, 0.5)))
	}
	return rows, nil
}

// roles returns a list that differs for each n.
func roles(prefix string, n int) []string {
	return []string{fmt.Sprintf("%s-%d", prefix, n), "Moderator"}
}
