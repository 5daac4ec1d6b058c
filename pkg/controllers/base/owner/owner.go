// SPDX-License-Identifier: Apache-2.0

// Package owner sets owner references. A cache may contain an owner that no longer exists, or that
// was replaced by an object of the same name. The garbage collector would delete an object with a
// reference to such an owner. Therefore the owner is first read without a cache.
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

// SetController sets an owner as the controller of an object that is about to be created. live must
// not read from a cache. The error is a conflict if the API server does not hold the owner with its
// UID.
func SetController(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) error {
	if err := check(ctx, live, scheme, owner); err != nil {
		return err
	}
	return controllerutil.SetControllerReference(owner, object, scheme)
}

// Offer adds an owner reference to an object that has no other owner, and reports whether it
// changed the object, which the caller must then write. The garbage collector deletes an object
// only after all its owners: a second owner would keep the object of another owner alive. An owner
// of the same kind and name is a former owner and is replaced. Offer returns the same errors as
// SetController.
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

// Take sets an owner as the controller of an object that has no other owner, and reports whether it
// changed the object, which the caller must then write. An owner of the same kind and name with
// another UID is a former owner and is replaced. The caller must know that the object was created
// for a former owner. Take returns the same errors as SetController.
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

// sorted returns the references to owners of another kind or name. It also reports whether the
// object has a reference to the owner, and whether it has one to a former owner of the same kind
// and name.
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

// Owns reports whether an object has an owner reference to owner.
func Owns(owner, object client.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == owner.GetUID() })
}

// Orphans reports whether an owner is being deleted with --cascade=orphan, and the garbage
// collector has not yet removed its owner references.
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
