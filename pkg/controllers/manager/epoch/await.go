// SPDX-License-Identifier: Apache-2.0

package epoch

import (
	"context"
	"time"

	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// awaitInterval is the time between two reads while waiting for the record.
const awaitInterval = 2 * time.Second

// Await waits until the installation in a namespace has a valid record, and returns the epoch in
// it. It does not time out: a store that the server rejects requires an administrator, and a
// restart would not help. live must not read from a cache. The error is that of the context.
func Await(ctx context.Context, live client.Reader, namespace string) (storeidentity.Anchor, error) {
	source := recordIn(live, namespace)
	ticker := time.NewTicker(awaitInterval)
	defer ticker.Stop()
	last := present
	for {
		seen := source.read(ctx)
		if ctx.Err() != nil {
			return storeidentity.Anchor{}, ctx.Err()
		}
		if seen.state == present {
			return seen.anchor, nil
		}
		if seen.state != last {
			klog.InfoS("Waiting for roadstead-apiserver to record which store it uses", "record", seen.state, "reason", seen.err.Error())
			last = seen.state
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}
