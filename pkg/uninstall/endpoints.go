// SPDX-License-Identifier: Apache-2.0

package uninstall

import (
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	takarov1alpha1 "roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

// endpointFinalizer blocks the deletion of a TakaroEndpoint until its last status was read: the
// controller deletes the object as soon as it is not used, and only its status shows whether the
// anchor was deleted.
const endpointFinalizer = ownDomain + "/prepare-uninstall"

// anchors are the anchors that remain in Takaro, according to the TakaroEndpoints.
type anchors struct {
	// addresses contains the addresses of Takaro, by the id of the anchor.
	addresses map[string]string
	// of contains the last anchor of each TakaroEndpoint.
	of map[types.UID]string
	// deleted contains the ids of anchors that the controller deleted with one of their
	// TakaroEndpoints.
	deleted map[string]bool
	// told contains the TakaroEndpoints whose left domains were printed.
	told map[types.UID]bool
}

// endpointOf returns a stored TakaroEndpoint, or nil for other kinds.
func endpointOf(of kind, source *unstructured.Unstructured) *takarov1alpha1.TakaroEndpoint {
	if of.groupResource() != endpoints {
		return nil
	}
	found := &takarov1alpha1.TakaroEndpoint{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(source.Object, found) != nil {
		return nil // another version: its status is only printed
	}
	return found
}

func endpointsOf(kinds []kind) []kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.groupResource() != endpoints })
}

// endObjects ends all objects, and prints what remains of the TakaroEndpoints, which are deleted
// last.
func (u *uninstallation) endObjects(ctx context.Context, kinds []kind, end func(context.Context, []kind) error) error {
	if err := u.keepEndpoints(ctx, kinds); err != nil {
		return err
	}
	if err := end(ctx, kinds); err != nil {
		return err
	}
	u.tellAnchors()
	return nil
}

// keepEndpoints adds endpointFinalizer to all TakaroEndpoints that are not being deleted.
func (u *uninstallation) keepEndpoints(ctx context.Context, kinds []kind) error {
	all, err := u.list(ctx, endpointsOf(kinds))
	if err != nil {
		return err
	}
	u.noteAnchors(all)
	for _, one := range all {
		if one.deleting || slices.Contains(one.finalizers, endpointFinalizer) {
			continue
		}
		finalizers := append(slices.Clone(one.finalizers), endpointFinalizer)
		err := u.patch(ctx, one.reference(), one.resourceVersion, map[string]any{"finalizers": finalizers})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apierrors.IsInvalid(err) {
			return fmt.Errorf("add a finalizer to %s: %w", one, err)
		}
	}
	return nil
}

// releaseEndpoint removes endpointFinalizer from a record that is being deleted, once the
// controller has removed its own.
func (u *uninstallation) releaseEndpoint(ctx context.Context, o object) error {
	others := slices.DeleteFunc(slices.Clone(o.finalizers), func(name string) bool { return name == endpointFinalizer })
	if len(others) > len(foreignFinalizers(o.finalizers)) {
		return nil
	}
	return u.stripObject(ctx, o)
}

// noteAnchors records which anchors exist. If the status of a TakaroEndpoint that is being deleted
// has no anchor, the controller deleted the anchor.
func (u *uninstallation) noteAnchors(records []object) {
	if u.anchors.of == nil {
		u.anchors = anchors{addresses: map[string]string{}, of: map[types.UID]string{}, deleted: map[string]bool{}, told: map[types.UID]bool{}}
	}
	for _, one := range records {
		switch {
		case one.endpoint == nil:
		case one.endpoint.Status.Anchor != nil:
			id := one.endpoint.Status.Anchor.ID
			u.anchors.of[one.uid], u.anchors.addresses[id] = id, one.endpoint.Spec.URL
		case one.deleting:
			u.anchors.deleted[u.anchors.of[one.uid]] = true
		}
	}
}

// tellAnchors prints the anchors that remain.
func (u *uninstallation) tellAnchors() {
	for _, id := range slices.Sorted(maps.Keys(u.anchors.addresses)) {
		if u.anchors.deleted[id] {
			continue
		}
		u.say("The anchor of the installation stays in Takaro at %s: domain %s, which is disabled and has no game servers. No controller could "+
			"delete it. Delete it there, or with takaro-sweep --cluster-is-lost --delete.", u.anchors.addresses[id], id)
	}
}

// tellLeft prints the domains that a TakaroEndpoint lists as left, once, before it is deleted.
func (u *uninstallation) tellLeft(o object) {
	if o.endpoint == nil || len(o.endpoint.Status.Left) == 0 || u.anchors.told[o.uid] {
		return
	}
	u.anchors.told[o.uid] = true
	all := o.endpoint.Status.Left
	u.say("%s lists %s left in Takaro at %s that could not be marked as retained:", o, plural(len(all), "domain"), o.endpoint.Spec.URL)
	for _, left := range all {
		u.say("  domain %s of Domain %s, deleted at %s", left.ID, left.Object, left.Since.UTC().Format("2006-01-02T15:04:05Z07:00"))
	}
	u.say("Nothing will list them from now on but takaro-sweep --cluster-is-lost, as left behind. Delete those in Takaro that nobody needs.")
}
