// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/compare"
)

// sharedPlace identifies the shared Redis, which is the only one whose users are compared.
const sharedPlace = "shared"

// loginLoop wakes the MockServers whose users no longer exist in the shared Redis, and restricts
// the users that earlier releases created.
func (w *watch) loginLoop() *compare.Loop[string, string, []*v1alpha1.MockServer] {
	return &compare.Loop[string, string, []*v1alpha1.MockServer]{
		Period:     w.ComparePeriod,
		Groups:     w.loginsInRedis,
		EndpointOf: func(place string) string { return place },
		Compare:    w.compareLogins,
	}
}

// loginsInRedis returns the MockServers that have a user in the shared Redis.
func (w *watch) loginsInRedis(ctx context.Context) (map[string][]*v1alpha1.MockServer, error) {
	list := &v1alpha1.MockServerList{}
	if err := w.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list MockServers: %w", err)
	}
	groups := map[string][]*v1alpha1.MockServer{}
	for i := range list.Items {
		if server := &list.Items[i]; server.Spec.Redis == nil && server.DeletionTimestamp == nil && begun(server) {
			groups[sharedPlace] = append(groups[sharedPlace], server)
		}
	}
	return groups, nil
}

func (w *watch) compareLogins(ctx context.Context, _ string, servers []*v1alpha1.MockServer) bool {
	target, blocked := w.sharedRedis(ctx)
	if blocked != nil {
		return false // each MockServer reports it itself
	}
	users, err := w.redis.users(ctx, target)
	if err != nil {
		log.FromContext(ctx).Error(err, "Reading the users of the shared Redis failed")
		return false
	}
	slices.Sort(users)
	var present []string
	for _, server := range servers {
		mark := markOf(server)
		if _, found := slices.BinarySearch(users, aclUser(mark)); found {
			present = append(present, mark)
			continue
		}
		w.redis.forget(mark)
		w.Queue.Add(server)
	}
	if err := w.redis.confine(ctx, target, present); err != nil {
		log.FromContext(ctx).Error(err, "Replacing the rights of users in the shared Redis failed")
		return false
	}
	return true
}
