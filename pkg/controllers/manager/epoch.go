// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"

	"roadstead.dev/roadstead/pkg/controllers/manager/epoch"
)

// bindEpoch waits for the record of the store and ends the manager when the record names another
// epoch. It must be called before any cache is started, so that no cache is older than the record.
func (o *Options) bindEpoch(ctx context.Context, mgr ctrl.Manager) error {
	held, err := epoch.Await(ctx, mgr.GetAPIReader(), o.Namespace)
	if err != nil {
		return err
	}
	return mgr.Add(epoch.NewWatch(mgr.GetAPIReader(), o.Namespace, held))
}
