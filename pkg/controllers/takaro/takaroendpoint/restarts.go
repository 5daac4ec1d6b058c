// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/takaro/endpoint"
)

// HoldRestarts records which pods, as namespace/name, are currently not restarted, of those that
// use the TakaroEndpoint with the credentials of one endpoint. An empty list ends the hold.
func (k *Keeper) HoldRestarts(at types.NamespacedName, of endpoint.Key, pods []string) {
	k.mu.Lock()
	known := k.recordAt(at)
	if slices.Equal(known.restarts[of], pods) {
		if _, judged := known.verdicts[v1alpha1.HoldRestarts]; judged {
			k.mu.Unlock()
			return
		}
	}
	if known.restarts[of] = pods; len(pods) == 0 {
		delete(known.restarts, of)
	}
	known.rejudge(restartsKind)
	k.publish()
	k.mu.Unlock()
	k.changed.AddAfter(&v1alpha1.TakaroEndpoint{ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name}}, usersWait)
}

// judgeRestarts returns the result of the restart limit. It has no token, because it ends by
// itself.
func judgeRestarts(r *record, _ []string) verdict {
	var v verdict
	for _, pods := range r.restarts {
		v.held = append(v.held, pods...)
	}
	slices.Sort(v.held)
	v.held = slices.Compact(v.held)
	v.affected = v.held
	return v
}
