// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// deleteObjects deletes everything that is stored, and waits until the controllers have deleted the
// outside objects.
func (u *uninstallation) deleteObjects(ctx context.Context, kinds []kind) error {
	explained := false
	return u.untilGone(ctx, kinds, u.timeout, func(ctx context.Context, left, records []object) error {
		for _, one := range ownersFirst(left) {
			if one.deleting {
				continue
			}
			if err := u.delete(ctx, one); err != nil {
				return err
			}
		}
		if !explained && slices.ContainsFunc(left, blocked) {
			explained = true
			u.say("%s", blockedHint)
		}
		return u.releaseHolds(ctx, records)
	})
}

// blockedHint is printed once, when the first deletion is blocked. Objects of a namespace that no
// longer exists are held first, since the controllers may not have observed its deletion. Only then
// can releaseHolds release them.
const blockedHint = "  Objects with the reason " + takarov1alpha1.ReasonDeletionBlocked + " wait until the cause in their message ends.\n" +
	"  To delete one immediately and leave in Takaro what it stands for, run the command in its message.\n" +
	"  If its Secret is missing because its namespace does not exist, you can also wait: it is deleted, and what it stands for\n" +
	"  in Takaro is left, after --orphan-sweep-wait of " + controller + " (5m0s by default)."

// blocked reports whether an object is being deleted and the controllers cannot complete the
// deletion.
func blocked(o object) bool {
	return o.deleting && strings.HasPrefix(o.state, takarov1alpha1.ReasonDeletionBlocked+":")
}

// ownersFirst sorts objects without an owner among them before the others: once its owner is being
// deleted, the deletion of a dependent needs less work, and it is not created again.
func ownersFirst(all []object) []object {
	there := sets.New[types.UID]()
	for _, one := range all {
		there.Insert(one.uid)
	}
	owned := func(o object) bool { return there.HasAny(o.owners...) }
	return slices.Concat(filter(all, func(o object) bool { return !owned(o) }), filter(all, owned))
}

// dealing processes the user objects that are left. records contains the objects that the
// controllers write for themselves.
type dealing func(ctx context.Context, left, records []object) error

// untilGone repeatedly processes the user objects until none is left. Then it deletes the records
// of the controllers, which would be created again before. It also processes objects that are
// created in the meantime, and waits for a server that is temporarily unavailable.
func (u *uninstallation) untilGone(ctx context.Context, kinds []kind, limit time.Duration, deal dealing) error {
	told := &progress{say: u.say}
	deadline := time.NewTimer(limit)
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
				return fmt.Errorf("after %s: %w", limit, err)
			}
			u.say("Still there:\n%s", listed(left))
			return &unfinishedError{fmt.Sprintf("after %s %s still there: %s; what they wait for is told above",
				limit, areThere(len(left)), counted(left))}
		case <-tick.C:
		}
	}
}

// unfinishedError lists the objects that still existed when the time limit was reached.
type unfinishedError struct{ message string }

// Error implements error.
func (e *unfinishedError) Error() string { return e.message }

// round lists the stored objects and processes them once. It returns the objects that existed
// before.
func (u *uninstallation) round(ctx context.Context, kinds []kind, told *progress, deal dealing) ([]object, error) {
	all, err := u.list(ctx, kinds)
	if err != nil {
		return nil, err
	}
	left := filter(all, func(o object) bool { return !o.kind.record })
	records := filter(all, func(o object) bool { return o.kind.record })
	u.noteAnchors(records)
	told.tell(left)
	if len(left) > 0 {
		return left, deal(ctx, left, records)
	}
	for _, record := range records {
		u.tellLeft(record)
		var err error
		if record.deleting {
			err = u.releaseEndpoint(ctx, record)
		} else {
			err = u.delete(ctx, record)
		}
		if err != nil {
			return nil, err
		}
	}
	// A controller has yet to delete the outside object of a record with a finalizer of Roadstead.
	held := filter(records, func(o object) bool { return len(foreignFinalizers(o.finalizers)) < len(o.finalizers) })
	if len(held) == 0 {
		return nil, nil
	}
	return held, deal(ctx, nil, held)
}

func areThere(n int) string {
	if n == 1 {
		return "1 object is"
	}
	return fmt.Sprintf("%d objects are", n)
}
