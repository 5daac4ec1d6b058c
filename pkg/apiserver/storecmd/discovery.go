// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
)

const (
	// freshWithin is the maximum time in which the cluster notices that the server has started, for
	// each of its groups.
	freshWithin = 30 * time.Second
	// freshStep is the time between two discovery requests.
	freshStep = 500 * time.Millisecond
)

// preferredResources lists the resources that the cluster serves. If the cluster has not yet
// noticed that the server is available again, it marks Roadstead's groups as stale.
// preferredResources waits in this case, because an administrator that accepts a store has often
// just started the server. It returns any other error immediately.
func preferredResources(ctx context.Context, server discovery.DiscoveryInterface) (lists []*metav1.APIResourceList, err error) {
	waited := wait.PollUntilContextTimeout(ctx, freshStep, freshWithin, true, func(context.Context) (bool, error) {
		lists, err = discovery.ServerPreferredResources(server)
		return !oursAreStale(err), nil
	})
	if err == nil && waited != nil {
		return nil, waited
	}
	return lists, err
}

// oursAreStale reports whether the only error is that Roadstead's groups are stale.
func oursAreStale(err error) bool {
	var failed *discovery.ErrGroupDiscoveryFailed
	if !errors.As(err, &failed) {
		return false
	}
	for version, cause := range failed.Groups {
		var stale discovery.StaleGroupVersionError
		if !isOurs(version.Group) || !errors.As(cause, &stale) {
			return false
		}
	}
	return len(failed.Groups) > 0
}
