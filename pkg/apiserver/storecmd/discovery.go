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
	// freshWithin is how long the cluster may take to find that our server has started, for each of our groups alone.
	freshWithin = 30 * time.Second
	// freshStep is between two looks.
	freshStep = 500 * time.Millisecond
)

// preferredResources lists what the cluster serves. A cluster that has not yet found that our server is up again marks our
// groups as stale; that is waited for, because whoever accepts a store has often just started it. Any other error is returned
// at once.
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

// oursAreStale tells whether nothing else is wrong than that our groups are not yet known to be served.
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
