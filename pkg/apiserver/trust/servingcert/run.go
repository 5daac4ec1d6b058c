// SPDX-License-Identifier: Apache-2.0

package servingcert

import (
	"context"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/util/names"
)

// LeaseName is the Lease in the installation's namespace whose holder writes the Secret and the APIServices.
const LeaseName = names.ServingLease

// Another replica takes over within half a minute after a crash. A shorter time is not needed, and
// each renewal is a write in the cluster.
const (
	leaseDuration = 30 * time.Second
	renewDeadline = 20 * time.Second
	retryPeriod   = 5 * time.Second
)

// Run keeps the certificate until ctx ends; workers is not used. The listener of the server calls it.
func (k *Keeper) Run(ctx context.Context, _ int) {
	nudge := newNudge()
	watched := k.watch(ctx, nudge)
	if !cache.WaitForCacheSync(ctx.Done(), watched.synced...) {
		return
	}
	elector, err := k.elector(nudge)
	if err != nil {
		klog.FromContext(ctx).Error(err, "Cannot use the Lease of the serving certificate; this replica does not renew the certificate")
	} else {
		k.leads = elector.IsLeader
		go wait.UntilWithContext(ctx, elector.Run, retryPeriod)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-nudge:
		case <-timer.C:
		}
		found, err := watched.read()
		if err != nil {
			klog.FromContext(ctx).Info("Stopped updating the serving certificate", "err", err)
		} else if k.look(ctx, found) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(restAfterWrite):
			}
		}
		timer.Reset(lookEvery)
	}
}

func (k *Keeper) elector(nudge nudge) (*leaderelection.LeaderElector, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: k.Namespace, Name: LeaseName},
			Client:     k.Client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		ReleaseOnCancel: true,
		Name:            LeaseName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { nudge.give() },
			OnStoppedLeading: func() {},
		},
	})
}
