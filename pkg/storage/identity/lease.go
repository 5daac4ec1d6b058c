// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// lease shows which store servers use. Its age is the time since this process saw it change: the clocks of two nodes are not
// compared.
type lease struct {
	client    kubernetes.Interface
	namespace string
	clock     clock.PassiveClock

	// source is nil if the Lease does not exist; read reports whether it was ever read.
	source  *coordinationv1.Lease
	read    bool
	changed time.Time
}

// look reads the Lease.
func (l *lease) look(ctx context.Context) error {
	found, err := l.client.CoordinationV1().Leases(l.namespace).Get(ctx, storeidentity.LeaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		found, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("get Lease %s/%s: %w", l.namespace, storeidentity.LeaseName, err)
	}
	l.take(found)
	return nil
}

func (l *lease) take(found *coordinationv1.Lease) {
	version := func(lease *coordinationv1.Lease) string {
		if lease == nil {
			return ""
		}
		return fmt.Sprint(lease.UID, lease.ResourceVersion, lease.Spec.RenewTime)
	}
	if !l.read || version(found) != version(l.source) {
		l.changed = l.clock.Now()
	}
	l.source, l.read = found, true
}

// holder returns the holder of the Lease, "" if it was released or does not exist.
func (l *lease) holder() string {
	if l.source == nil {
		return ""
	}
	return ptr.Deref(l.source.Spec.HolderIdentity, "")
}

// renewed reports whether the Lease was renewed within its duration.
func (l *lease) renewed() bool {
	return l.holder() != "" && l.clock.Since(l.changed) < storeidentity.LeaseDuration
}

// other reports whether another holder has renewed the Lease within its duration.
func (l *lease) other(holder string) bool { return l.holder() != holder && l.renewed() }

// idle reports whether no server other than member uses a store: the Lease has been released for
// longer than another server needs to renew it.
func (l *lease) idle(member string) bool {
	switch {
	case l.source == nil:
		return l.read
	case l.holder() == "":
		return l.clock.Since(l.changed) > storeidentity.RenewInterval+2*time.Second
	default:
		return l.holder() == member || !l.renewed()
	}
}

// renew sets the holder of the Lease, unless another holder renews it. The error may be a conflict,
// which the next call resolves.
func (l *lease) renew(ctx context.Context, holder string) error {
	if l.other(holder) {
		return fmt.Errorf("the Lease %s/%s is held by %s", l.namespace, storeidentity.LeaseName, l.holder())
	}
	now, leases := metav1.NewMicroTime(l.clock.Now()), l.client.CoordinationV1().Leases(l.namespace)
	next := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace, Name: storeidentity.LeaseName}}
	if l.source != nil {
		next = l.source.DeepCopy()
	}
	if ptr.Deref(next.Spec.HolderIdentity, "") != holder {
		next.Spec.AcquireTime = &now
		next.Spec.LeaseTransitions = ptr.To(ptr.Deref(next.Spec.LeaseTransitions, 0) + 1)
	}
	next.Spec.HolderIdentity, next.Spec.RenewTime = &holder, &now
	next.Spec.LeaseDurationSeconds = ptr.To(int32(storeidentity.LeaseDuration.Seconds()))
	var err error
	if l.source == nil {
		next, err = leases.Create(ctx, next, metav1.CreateOptions{})
	} else {
		next, err = leases.Update(ctx, next, metav1.UpdateOptions{})
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		// Another replica that uses this store has renewed the Lease, which is sufficient.
		if err := l.look(ctx); err == nil && l.holder() == holder {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("renew Lease %s/%s: %w", l.namespace, storeidentity.LeaseName, err)
	}
	l.take(next)
	return nil
}

// release clears the holder, so that a server with another name does not have to wait.
func (l *lease) release(ctx context.Context, holder string) error {
	if err := l.look(ctx); err != nil || l.holder() != holder {
		return err
	}
	next := l.source.DeepCopy()
	next.Spec.HolderIdentity, next.Spec.RenewTime = nil, nil
	_, err := l.client.CoordinationV1().Leases(l.namespace).Update(ctx, next, metav1.UpdateOptions{})
	return err
}
