// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// deleteObjects deletes everything that is stored. The controllers remove what it stands for; that is waited for.
func (u *uninstallation) deleteObjects(ctx context.Context, kinds []kind) error {
	return u.untilGone(ctx, kinds, func(ctx context.Context, all []object) error {
		for _, one := range ownersFirst(all) {
			if one.deleting {
				continue
			}
			if err := u.delete(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownersFirst puts the objects that no other of them owns before the rest: what goes with its owner is less work when that
// is known to go, and nobody makes it anew.
func ownersFirst(all []object) []object {
	there := sets.New[types.UID]()
	for _, one := range all {
		there.Insert(one.uid)
	}
	owned := func(o object) bool { return there.HasAny(o.owners...) }
	return slices.Concat(filter(all, func(o object) bool { return !owned(o) }), filter(all, owned))
}

// untilGone does something about the objects of users, again and again, until none is left; then it deletes the records of
// the controllers, which would only be made anew before. What somebody makes meanwhile is dealt with too. A server that does
// not answer for a while is waited for.
func (u *uninstallation) untilGone(ctx context.Context, kinds []kind, deal func(context.Context, []object) error) error {
	told := &progress{say: u.say}
	deadline := time.NewTimer(u.timeout)
	defer deadline.Stop()
	tick := time.NewTicker(u.poll)
	defer tick.Stop()
	for {
		left, err := u.round(ctx, kinds, told, deal)
		switch {
		case err == nil && len(left) == 0:
			return nil
		case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
			return err
		case err != nil && ctx.Err() == nil:
			told.trouble(err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			if err != nil {
				return fmt.Errorf("after %s: %w", u.timeout, err)
			}
			u.say("Still there:\n%s", listed(left))
			return fmt.Errorf("after %s %s still there: %s; what they wait for is told above", u.timeout, areThere(len(left)), counted(left))
		case <-tick.C:
		}
	}
}

// round looks at what is stored and deals with it once. It gives the objects of users that were there before.
func (u *uninstallation) round(ctx context.Context, kinds []kind, told *progress, deal func(context.Context, []object) error) ([]object, error) {
	all, err := u.list(ctx, kinds)
	if err != nil {
		return nil, err
	}
	left := filter(all, func(o object) bool { return !o.kind.record })
	told.tell(left)
	if len(left) > 0 {
		return left, deal(ctx, left)
	}
	for _, record := range all {
		if err := u.delete(ctx, record); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func areThere(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return fmt.Sprintf("%d objects are", n)
}
