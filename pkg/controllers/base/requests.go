// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Metadata returns an object of the given kind that is read with metadata only.
func Metadata(kind schema.GroupVersionKind) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{}
	object.SetGroupVersionKind(kind)
	return object
}

// IsAbsent reports whether the API server says that an object does not exist. A 404 response that
// is not a Kubernetes Status comes from a proxy, and must not cause an irreversible change.
func IsAbsent(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err)
}

// RequestFor returns the request of an object.
func RequestFor(namespace, name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}}
}

// Requests reads a list from a cache and returns a request for each object.
func Requests(ctx context.Context, cached client.Reader, list client.ObjectList, options ...client.ListOption) []reconcile.Request {
	if err := cached.List(ctx, list, options...); err != nil {
		return nil // the cache fails only when the process ends
	}
	var requests []reconcile.Request
	_ = meta.EachListItem(list, func(item runtime.Object) error { // fails only for an object that is not a list
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(item.(client.Object))})
		return nil
	})
	return requests
}
