// SPDX-License-Identifier: Apache-2.0

// Package owner sets owner references. A cache may hold an owner that no longer exists, or that was replaced by one of the
// same name: the garbage collector would delete an object with such an owner. So the owner is read past the cache first.
package owner

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// SetController sets an owner as the controller of an object that is about to be created. live must read past any cache. The
// error is a conflict if the API server does not hold the owner with its UID.
func SetController(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) error {
	if err := check(ctx, live, scheme, owner); err != nil {
		return err
	}
	return controllerutil.SetControllerReference(owner, object, scheme)
}

// Offer makes an owner the owner of an object that has no other, and reports whether that changed the object, which is then
// to be written. The garbage collector deletes an object only after all its owners: with a second one, an object that somebody
// else's object owns would outlive that. An owner of the same kind and name is a former one. It fails as SetController does.
func Offer(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) (bool, error) {
	kind, err := apiutil.GVKForObject(owner, scheme)
	if err != nil {
		return false, err
	}
	others, owned, former := sorted(object.GetOwnerReferences(), kind, owner)
	switch {
	case len(others) > 0:
		if !owned && !former {
			return false, nil
		}
		object.SetOwnerReferences(others)
		return true, nil
	case owned && !former:
		return false, nil
	}
	if err := check(ctx, live, scheme, owner); err != nil {
		return false, err
	}
	object.SetOwnerReferences(nil)
	return true, controllerutil.SetOwnerReference(owner, object, scheme)
}

// Take makes an owner the controller of an object that has no owner but former ones, and reports
// whether that changed the object, which is then to be written. An owner of the same kind and name
// with another UID is a former one. The caller has to know that the object was created for a former
// owner. It fails as SetController does.
func Take(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) (bool, error) {
	kind, err := apiutil.GVKForObject(owner, scheme)
	if err != nil {
		return false, err
	}
	if others, owned, _ := sorted(object.GetOwnerReferences(), kind, owner); owned || len(others) > 0 {
		return false, nil
	}
	if err := check(ctx, live, scheme, owner); err != nil {
		return false, err
	}
	object.SetOwnerReferences(nil)
	return true, controllerutil.SetControllerReference(owner, object, scheme)
}

// sorted returns the references to owners of another kind or name, and reports whether the others
// include one to the owner and one to a former owner, of the same kind and name.
func sorted(
	references []metav1.OwnerReference, kind schema.GroupVersionKind, owner client.Object,
) (others []metav1.OwnerReference, owned, former bool) {
	for _, reference := range references {
		group, _ := schema.ParseGroupVersion(reference.APIVersion)
		switch same := group.Group == kind.Group && reference.Kind == kind.Kind && reference.Name == owner.GetName(); {
		case reference.UID == owner.GetUID():
			owned = true
		case same:
			former = true
		default:
			others = append(others, reference)
		}
	}
	return others, owned, former
}

// Owns reports whether an object names the owner as one of its owners.
func Owns(owner, object client.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == owner.GetUID() })
}

// Orphans reports whether an owner is being deleted with --cascade=orphan, and the garbage collector has not yet taken it from
// what it owns.
func Orphans(owner client.Object) bool {
	return owner.GetDeletionTimestamp() != nil && controllerutil.ContainsFinalizer(owner, metav1.FinalizerOrphanDependents)
}

// check returns a conflict unless the API server holds the owner with its UID.
func check(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner client.Object) error {
	kind, err := apiutil.GVKForObject(owner, scheme)
	if err != nil {
		return err
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(kind)
	err = live.Get(ctx, client.ObjectKeyFromObject(owner), found)
	switch {
	case err == nil && found.UID == owner.GetUID():
		return nil
	case err == nil:
		err = fmt.Errorf("it was replaced: its UID is %s and no longer %s", found.UID, owner.GetUID())
	case apierrors.IsNotFound(err):
		err = fmt.Errorf("it no longer exists")
	default:
		return fmt.Errorf("read the owner, %s %s: %w", kind.Kind, client.ObjectKeyFromObject(owner), err)
	}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return apierrors.NewConflict(resource.GroupResource(), owner.GetName(), err)
}
