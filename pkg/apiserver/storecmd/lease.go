// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// awaitUnused returns nil if no server renews the Lease of the store. A Lease with a holder is
// watched for its duration: the clock of the holder may differ from the local one, so only an
// observed change counts.
func (a *accept) awaitUnused(ctx context.Context, leases coordinationclient.LeaseInterface) error {
	first, err := readLease(ctx, leases)
	if err != nil || first.holder == "" {
		return err
	}
	a.print("Lease %s/%s is held by %s. Waiting up to %s to see whether that server still renews it.",
		a.namespace, storeidentity.LeaseName, first.holder, a.leaseDuration)
	begin := time.Now()
	deadline := time.NewTimer(a.leaseDuration)
	defer deadline.Stop()
	tick := time.NewTicker(a.poll)
	defer tick.Stop()
	progress := time.NewTicker(storeidentity.RenewInterval)
	defer progress.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-progress.C:
			a.print("No renewal for %s.", time.Since(begin).Round(time.Second))
			continue
		case <-deadline.C:
			a.print("The Lease was not renewed for %s. Its holder does not use the store any more.", a.leaseDuration)
			return nil
		case <-tick.C:
		}
		now, err := readLease(ctx, leases)
		switch {
		case err != nil:
			return err
		case now.holder == "":
			return nil
		case !now.equal(first):
			return fmt.Errorf("a server uses its store: %s renews the Lease %s/%s. The server that answered this command observes "+
				"another store. Correct its configuration, or stop all other servers first", now.holder, a.namespace, storeidentity.LeaseName)
		}
	}
}

// renewal contains the fields that a renewal of a Lease changes. An empty holder means that the
// Lease is available.
type renewal struct {
	holder string
	renew  *metav1.MicroTime
}

func (r renewal) equal(other renewal) bool {
	return r.holder == other.holder && r.renew.Equal(other.renew)
}

func readLease(ctx context.Context, leases coordinationclient.LeaseInterface) (renewal, error) {
	lease, err := leases.Get(ctx, storeidentity.LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease, err = &coordinationv1.Lease{}, nil
	}
	if err != nil {
		return renewal{}, fmt.Errorf("read Lease %s: %w", storeidentity.LeaseName, err)
	}
	return renewal{holder: ptr.Deref(lease.Spec.HolderIdentity, ""), renew: lease.Spec.RenewTime}, nil
}
