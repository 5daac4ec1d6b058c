// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"roadstead.dev/roadstead/pkg/controllers/base/fence"
)

const (
	// leaseLimit is how long to wait for the Lease. The Lease of a controller that was killed
	// expires after fence.LeaseDuration.
	leaseLimit = 45 * time.Second
	// stripPodsLimit is how long to wait for controllers that may be unreachable.
	stripPodsLimit = 30 * time.Second
)

// scaleDown scales the Deployment of the controllers to 0, if it exists.
func (u *uninstallation) scaleDown(ctx context.Context) error {
	ofController, _ := theWorkloads()
	w := ofController[0]
	there, err := u.get(ctx, w)
	if err != nil || !there {
		return err
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":0}}`))
	if err := u.client.Patch(ctx, w.object, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("scaling Deployment %s/%s to 0: %w", u.namespace, controller, err)
	}
	u.say("Deployment %s/%s: scaled to 0, so that nothing is torn down.", u.namespace, controller)
	return nil
}

// replaceControllers stops the controllers and acquires their Lease: while it is held, no
// controller is active, even if another one is started. The returned context is canceled when the
// Lease is lost. release releases the Lease and may be called more than once.
func (u *uninstallation) replaceControllers(ctx context.Context) (held context.Context, release func(), err error) {
	if err := u.scaleDown(ctx); err != nil {
		return nil, nil, err
	}
	if err := u.awaitNoPods(ctx, podsLimit, controller); err != nil {
		return nil, nil, err
	}
	return u.hold(ctx, min(u.timeout, leaseLimit))
}

// errLeaseLost stops the work that needs the Lease.
var errLeaseLost = errors.New("the Lease " + controller + " was lost: something else took it, or the cluster did not answer")

// hold acquires the Lease of the controllers within limit.
func (u *uninstallation) hold(ctx context.Context, limit time.Duration) (context.Context, func(), error) {
	host, _ := os.Hostname() // shown to users who inspect the Lease
	acquired := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: u.namespace, Name: controller},
			Client:     u.leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("prepare-uninstall_%s_%d", host, os.Getpid())},
		},
		LeaseDuration: fence.LeaseDuration, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(acquired) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, nil, err
	}
	// The logs of the library are not useful to users of this command.
	electing, stop := context.WithCancel(klog.NewContext(ctx, logr.Discard()))
	held, lose := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		elector.Run(electing)
		lose(errLeaseLost)
		close(ended)
	}()
	release := sync.OnceFunc(func() {
		stop()
		<-ended
	})
	select {
	case <-acquired:
		u.say("Lease %s/%s: taken, so that no controller works meanwhile.", u.namespace, controller)
		return held, release, nil
	case <-ctx.Done():
		release()
		return nil, nil, ctx.Err()
	case <-time.After(limit):
		holder := elector.GetLeader()
		release()
		return nil, nil, fmt.Errorf("a controller works: %s holds the Lease %s/%s. It would tear down what is to stay: end it wherever it runs",
			holder, u.namespace, controller)
	}
}
