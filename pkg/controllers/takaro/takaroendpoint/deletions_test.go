// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// TestDeletionHold_NeverLetsManyGo runs deletions in random order. Domains are never deleted in
// more namespaces than the hold allows, except in those that were released.
func TestDeletionHold_NeverLetsManyGo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t)
		n := rapid.IntRange(4, 12).Draw(r, "namespaces")
		w.addSettled(n)
		state, released, gone := map[int]string{}, map[string]bool{}, 0
		for range rapid.IntRange(5, 40).Draw(r, "steps") {
			i := rapid.IntRange(0, n-1).Draw(r, "namespace")
			switch rapid.SampledFrom([]string{"delete", "delete", "end", "end", "reconcile", "release"}).Draw(r, "step") {
			case "delete":
				if state[i] == "" {
					w.remove(i, i)
					state[i] = "deleting"
				}
			case "end":
				if state[i] == "deleting" && w.end(i) {
					state[i] = "gone"
					if !released[fmt.Sprintf("ns%02d", i)] {
						gone++
					}
				}
			case "reconcile":
				w.reconcileInstallation()
			case "release":
				v := w.keeper.verdictsAt(installationEndpoint)[v1alpha1.HoldDeletion]
				if v.token != "" {
					w.releaseInstallation(v.token)
					for _, name := range v.held {
						released[name] = true
					}
				}
			}
			if gone > 3 {
				r.Fatalf("domains of %d namespaces were deleted", gone)
			}
		}
	})
}
