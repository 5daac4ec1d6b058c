// SPDX-License-Identifier: Apache-2.0

package hostprobe

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

const (
	// RightsCheck is the name of the check in /readyz.
	RightsCheck = "host-rights"
	// everyMinute is the time between two probes while every permission is granted, and soon while
	// one is missing.
	everyMinute, soon = time.Minute, 10 * time.Second
)

// Rights checks periodically that the permissions that were granted at the start are still granted.
// A plugin whose informers may no longer list uses the last observed state, so the check fails
// until the permission is granted again.
type Rights struct {
	client kubernetes.Interface
	needs  []Need
	lost   atomic.Pointer[error]
}

// NewRights returns the permissions of the enabled parts: those in needs, without the parts that
// Await disabled.
func NewRights(client kubernetes.Interface, needs []Need, off []Missing) *Rights {
	on := slices.DeleteFunc(slices.Clone(needs), func(need Need) bool {
		return slices.ContainsFunc(off, func(m Missing) bool { return m.Part == need.Part })
	})
	return &Rights{client: client, needs: on}
}

// Run probes until ctx ends.
func (r *Rights) Run(ctx context.Context) {
	for {
		wait := everyMinute
		if r.Check(nil) != nil {
			wait = soon
		}
		if pause(ctx, wait) != nil {
			return
		}
		r.probe(ctx)
	}
}

// Check returns an error with the missing permissions, nil if there are none.
func (r *Rights) Check(*http.Request) error {
	if lost := r.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// probe checks all permissions. The last result remains while the cluster does not respond.
func (r *Rights) probe(ctx context.Context) {
	facts, err := probe(ctx, r.client, r.needs)
	if err != nil {
		klog.FromContext(ctx).V(2).Info("Failed to check the permissions of this server in the cluster; trying again", "err", err)
		return
	}
	_, denied := split(Decide(r.needs, facts))
	show(r.needs, denied)
	before := r.Check(nil)
	if len(denied) == 0 {
		r.lost.Store(nil)
		if before != nil {
			klog.FromContext(ctx).Info("All permissions of this server in the cluster are granted again")
		}
		return
	}
	var errs []error
	for _, m := range denied {
		errs = append(errs, errors.New(m.Message()))
	}
	lost := errors.Join(errs...)
	r.lost.Store(&lost)
	if before == nil || before.Error() != lost.Error() {
		klog.FromContext(ctx).Error(lost, "This server has lost permissions in the cluster; affected plugins use the last observed state")
	}
}
