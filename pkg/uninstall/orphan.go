// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// dependentKinds are the kinds that the controllers create in the cluster for Roadstead's objects.
var dependentKinds = []schema.GroupVersionKind{secretKind, appsv1.SchemeGroupVersion.WithKind("StatefulSet")}

// orphanObjects deletes everything that is stored and keeps the outside objects. No controller is
// active in the meantime, except to mark what is left in Takaro. Before an object is deleted, the
// references to it are removed from the objects that the controllers created: otherwise the garbage
// collector would delete these as soon as it does not find the owner, now or during a later
// installation. The garbage collector, which knows all kinds, removes the references from objects
// that others created.
func (u *uninstallation) orphanObjects(ctx context.Context, kinds []kind) error {
	held, release, err := u.replaceControllers(ctx)
	if err != nil {
		return err
	}
	defer func() { release() }()
	for _, of := range dependentKinds {
		if err := u.disown(held, of); err != nil {
			return err
		}
	}
	others := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.record || k.groupResource() == domains })
	if err := u.untilGone(held, others, u.timeout, u.letGo); err != nil {
		return err
	}
	if err := u.retainDomains(held, kinds); err != nil {
		return err
	}
	worked, err := u.markDomains(ctx, kinds, release)
	if err != nil {
		return err
	}
	if worked {
		next, again, err := u.replaceControllers(ctx)
		if err != nil {
			return err
		}
		held, release = next, again
	}
	return u.untilGone(held, kinds, u.timeout, u.letGo)
}

// letGo deletes objects and removes Roadstead's finalizers from them.
func (u *uninstallation) letGo(ctx context.Context, left, records []object) error {
	for _, one := range left {
		if !one.deleting {
			if err := u.delete(ctx, one, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
				return err
			}
		}
		if err := u.stripObject(ctx, one); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		return nil // Domains need their records
	}
	for _, one := range records {
		if err := u.stripObject(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// stripObject removes Roadstead's finalizers from a stored object.
func (u *uninstallation) stripObject(ctx context.Context, o object) error {
	left := foreignFinalizers(o.finalizers)
	if len(left) == len(o.finalizers) {
		return nil
	}
	err := u.patch(ctx, o.reference(), o.resourceVersion, map[string]any{"finalizers": left})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // in the next round
		return nil
	}
	return fmt.Errorf("taking finalizers off %s: %w", o, err)
}

// stripObjects stops the controllers, which would undo it, and removes Roadstead's finalizers from
// the stored objects, as far as the server responds.
func (u *uninstallation) stripObjects(ctx context.Context, found *survey) error {
	if err := u.scaleDown(ctx); err != nil {
		return err
	}
	if err := u.awaitNoPods(ctx, stripPodsLimit, controller); err != nil {
		if ctx.Err() != nil {
			return err
		}
		u.say("Going on, although %v", err)
	}
	if len(found.apiServices) == 0 || found.unanswered != nil {
		u.say("The server does not answer: what is stored keeps its finalizers.")
		return nil
	}
	stripped := 0
	for range rounds {
		all, err := u.list(ctx, found.kinds)
		if err != nil {
			u.say("The server does not answer any more, and what is stored keeps its finalizers: %v", err)
			return nil
		}
		held := filter(all, func(o object) bool { return !slices.Equal(o.finalizers, foreignFinalizers(o.finalizers)) })
		if len(held) == 0 {
			break
		}
		stripped = max(stripped, len(held))
		for _, one := range held {
			if err := u.stripObject(ctx, one); err != nil {
				return err
			}
		}
	}
	u.say("Finalizers of %s: taken off %s in the store.", ownDomain, plural(stripped, "object"))
	return nil
}
