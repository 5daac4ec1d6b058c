// SPDX-License-Identifier: Apache-2.0

// Package owner sets owner references. A cache may hold an owner that no longer exists, or that was replaced by one of the
// same name: the garbage collector would delete an object with such an owner. So the owner is read past the cache first.
package owner

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

// Add adds an owner to an object that is about to be written, unless it is one already. It fails as SetController does.
func Add(ctx context.Context, live client.Reader, scheme *runtime.Scheme, owner, object client.Object) error {
	if err := check(ctx, live, scheme, owner); err != nil {
		return err
	}
	return controllerutil.SetOwnerReference(owner, object, scheme)
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
