// SPDX-License-Identifier: Apache-2.0

// Package inuse removes the in-use finalizer from Secrets that are no longer referenced. A
// controller that starts to use a Secret sets the finalizer (package secrets).
package inuse

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"roadstead.dev/roadstead/pkg/controllers/base"
	"roadstead.dev/roadstead/pkg/controllers/secrets"
)

// User is a kind whose objects refer to Secrets in their namespace.
type User struct {
	// Object is an empty object of the kind.
	Object client.Object
	// Names returns the names of the Secrets that an object refers to.
	Names func(client.Object) []string
	// InUse reports whether any object uses the Secret.
	InUse func(ctx context.Context, secret types.NamespacedName) (bool, error)
}

// NewUser returns the User of a kind whose objects refer to Secrets. index is the name of the cache
// index by these names. finalizer is the finalizer of their controller.
func NewUser[T client.Object](
	cached client.Reader, object T, list client.ObjectList, index, finalizer string, names func(T) []string,
) User {
	return User{
		Object: object,
		Names:  func(object client.Object) []string { return names(object.(T)) },
		InUse: func(ctx context.Context, secret types.NamespacedName) (bool, error) {
			found := list.DeepCopyObject().(client.ObjectList)
			if err := cached.List(ctx, found, client.InNamespace(secret.Namespace), client.MatchingFields{index: secret.Name}); err != nil {
				return false, err
			}
			objects, err := meta.ExtractList(found)
			return slices.ContainsFunc(objects, func(object runtime.Object) bool { return uses(object.(client.Object), finalizer) }), err
		},
	}
}

// uses reports whether an object that refers to a Secret uses it. An object that is being deleted
// and no longer has the controller's finalizer does not use its Secrets any more. It may still
// exist: with --cascade=foreground it waits for the objects that it owns, which may include such a
// Secret.
func uses(object client.Object, finalizer string) bool {
	return object.GetDeletionTimestamp() == nil || slices.Contains(object.GetFinalizers(), finalizer)
}

type reconciler struct {
	cached    client.Reader
	protector *secrets.Protector
	users     []User
}

// Setup adds the controller for all kinds that refer to Secrets. cached must serve metadata of
// Secrets.
func Setup(mgr ctrl.Manager, cached client.Reader, protector *secrets.Protector, users ...User) error {
	r := &reconciler{cached: cached, protector: protector, users: users}
	held := predicate.NewPredicateFuncs(func(object client.Object) bool {
		return slices.Contains(object.GetFinalizers(), secrets.InUseFinalizer)
	})
	build := ctrl.NewControllerManagedBy(mgr).
		Named("secret-in-use").
		WithOptions(base.Options(1, base.Timeout)).
		For(secrets.Metadata(), builder.OnlyMetadata, builder.WithPredicates(held))
	for _, user := range users {
		// An update enqueues the Secrets that the old and the new object refer to, so that a Secret
		// that is no longer referenced is released.
		build = build.Watches(user.Object, handler.EnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []reconcile.Request {
			var requests []reconcile.Request
			for _, name := range user.Names(object) {
				requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}})
			}
			return requests
		}))
	}
	return build.Complete(base.Measure("Secret", r))
}

// Reconcile removes the finalizer if no object needs the Secret.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := secrets.Metadata()
	err := r.cached.Get(ctx, request.NamespacedName, object)
	var notServed *secrets.NamespaceNotServedError
	if errors.As(err, &notServed) {
		return reconcile.Result{}, nil // this process sets no finalizer there
	}
	if err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !slices.Contains(object.GetFinalizers(), secrets.InUseFinalizer) {
		return reconcile.Result{}, nil
	}
	for _, user := range r.users {
		used, err := user.InUse(ctx, request.NamespacedName)
		if err != nil || used {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{}, r.protector.Release(ctx, request.NamespacedName)
}
