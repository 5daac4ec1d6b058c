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
	// everyMinute is the time between two probes while every right is granted, and soon that while one is missing.
	everyMinute, soon = time.Minute, 10 * time.Second
)

// Rights follows whether the rights that were granted at the start still are. A plugin whose informers may not list any more
// decides by what it saw last, so the check fails until the right is granted again.
type Rights struct {
	client kubernetes.Interface
	needs  []Need
	lost   atomic.Pointer[error]
}

// NewRights returns the rights of the parts that are on: those of needs without the ones that Await has dropped.
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

// Check returns which rights are missing, nil if none is.
func (r *Rights) Check(*http.Request) error {
	if lost := r.lost.Load(); lost != nil {
		return *lost
	}
	return nil
}

// probe asks for all rights. What is known stays known while the cluster does not answer.
func (r *Rights) probe(ctx context.Context) {
	facts, err := probe(ctx, r.client, r.needs)
	if err != nil {
		klog.FromContext(ctx).V(2).Info("The rights of this server in the host cluster could not be read; trying again", "err", err)
		return
	}
	_, denied := split(Decide(r.needs, facts))
	show(r.needs, denied)
	before := r.Check(nil)
	if len(denied) == 0 {
		r.lost.Store(nil)
		if before != nil {
			klog.FromContext(ctx).Info("Every right of this server in the host cluster is granted again")
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
		klog.FromContext(ctx).Error(lost, "This server has lost rights in the host cluster; what needs them decides by what it saw last")
	}
}
