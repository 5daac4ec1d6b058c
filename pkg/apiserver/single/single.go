// SPDX-License-Identifier: Apache-2.0

// Package single keeps a second server with an embedded store out of an installation: each would hold a part of the objects.
// The servers agree by a Lease.
package single

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

const (
	// LeaseName is the Lease in the installation's namespace.
	LeaseName = "roadstead-embedded-store"
	// leaseDuration is how long a server that does not renew is respected, renewEvery how often one renews.
	leaseDuration = 40 * time.Second
	renewEvery    = 10 * time.Second
	callTimeout   = 5 * time.Second
)

// Lease is the right of one server to run an embedded store.
type Lease struct {
	// Client reaches the host cluster, Namespace is the installation's.
	Client    kubernetes.Interface
	Namespace string
	// Holder names the server and its data folder. A server that starts again under the same name goes on at once.
	Holder string
	// Clock tells the time.
	Clock clock.WithTicker
}

// HeldError says that another server runs an embedded store.
type HeldError struct {
	Namespace, Holder string
	Renewed           time.Time
}

// Error says what to do.
func (e *HeldError) Error() string {
	return fmt.Sprintf("another server (%s) runs an embedded etcd for this installation, by Lease %s/%s (renewed at %s): each would hold a part of the objects. Scale to one replica, or give all of them one etcd by --etcd-servers. If that server is gone for good, this one may start %s after that time",
		e.Holder, e.Namespace, LeaseName, e.Renewed.UTC().Format(time.RFC3339), leaseDuration)
}

// holds returns who holds a Lease at a time, "" when nobody does.
func holds(lease *coordinationv1.Lease, now time.Time) string {
	holder := ptr.Deref(lease.Spec.HolderIdentity, "")
	if lease.Spec.RenewTime == nil {
		return ""
	}
	duration := time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0)) * time.Second
	if now.After(lease.Spec.RenewTime.Add(duration)) {
		return ""
	}
	return holder
}

// Take takes or renews the Lease. A *HeldError says that another server has it.
func (l Lease) Take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	leases := l.Client.CoordinationV1().Leases(l.Namespace)
	found, err := leases.Get(ctx, LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		fresh := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.Namespace, Name: LeaseName}}
		l.fill(fresh)
		_, err = leases.Create(ctx, fresh, metav1.CreateOptions{})
		return l.wrap(err)
	}
	if err != nil {
		return l.wrap(err)
	}
	if holder := holds(found, l.Clock.Now()); holder != "" && holder != l.Holder {
		return &HeldError{Namespace: l.Namespace, Holder: holder, Renewed: found.Spec.RenewTime.Time}
	}
	l.fill(found)
	_, err = leases.Update(ctx, found, metav1.UpdateOptions{})
	return l.wrap(err)
}

func (l Lease) fill(lease *coordinationv1.Lease) {
	now := metav1.NewMicroTime(l.Clock.Now())
	if ptr.Deref(lease.Spec.HolderIdentity, "") != l.Holder {
		lease.Spec.AcquireTime = &now
		lease.Spec.LeaseTransitions = ptr.To(ptr.Deref(lease.Spec.LeaseTransitions, 0) + 1)
	}
	lease.Spec.HolderIdentity = &l.Holder
	lease.Spec.RenewTime = &now
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(leaseDuration.Seconds()))
}

func (l Lease) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lease %s/%s of the embedded etcd: %w", l.Namespace, LeaseName, err)
}

// Renew renews until ctx ends, and calls lost when another server has taken the Lease. A host that does not answer is no
// reason to stop: the store's identity keeps a second store from being served.
func (l Lease) Renew(ctx context.Context, lost func(error)) {
	ticker := l.Clock.NewTicker(renewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		err := l.Take(ctx)
		var held *HeldError
		if errors.As(err, &held) {
			lost(held)
			return
		}
		if err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Info("The lease of the embedded store was not renewed; it is tried again", "err", err)
		}
	}
}

// Release gives the Lease up, so that a successor under another name need not wait.
func (l Lease) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	leases := l.Client.CoordinationV1().Leases(l.Namespace)
	found, err := leases.Get(ctx, LeaseName, metav1.GetOptions{})
	if err == nil && ptr.Deref(found.Spec.HolderIdentity, "") == l.Holder {
		found.Spec.HolderIdentity, found.Spec.RenewTime = nil, nil
		_, err = leases.Update(ctx, found, metav1.UpdateOptions{})
	}
	if err != nil {
		klog.FromContext(ctx).Info("The lease of the embedded store was not given up; it runs out by itself", "after", leaseDuration, "err", err)
	}
}
