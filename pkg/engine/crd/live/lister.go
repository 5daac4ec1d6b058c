// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Page is a part of a list.
type Page struct {
	Items []unstructured.Unstructured
	// Remaining is the number of objects after this page, or -1 if the server does not report it.
	Remaining int64
}

// Lister reads the stored objects of a resource, in all namespaces.
type Lister interface {
	// List calls page with one page of up to size objects after the other, until there are no more
	// objects, page returns false, the context ends, or the server returns an error, which List returns.
	List(ctx context.Context, resource schema.GroupVersionResource, size int64, page func(Page) (more bool)) error
}

// NewLister returns a Lister that uses a client.
func NewLister(client dynamic.Interface) Lister { return clientLister{client} }

type clientLister struct{ client dynamic.Interface }

// List continues after the server has compacted the snapshot of the list, with the token that the server
// offers: objects that changed in the meantime may be seen in either state, which is sufficient here.
func (l clientLister) List(ctx context.Context, resource schema.GroupVersionResource, size int64, page func(Page) bool) error {
	options := metav1.ListOptions{Limit: size}
	for {
		list, err := l.client.Resource(resource).List(ctx, options)
		if next := continuation(err); next != "" && options.Continue != "" && next != options.Continue {
			options.Continue = next
			continue
		}
		if err != nil {
			return err
		}
		next := Page{Items: list.Items, Remaining: -1}
		if remaining := list.GetRemainingItemCount(); remaining != nil {
			next.Remaining = *remaining
		}
		options.Continue = list.GetContinue()
		if options.Continue == "" {
			next.Remaining = 0
		}
		if !page(next) || options.Continue == "" {
			return nil
		}
	}
}

// continuation returns the token by which an expired list can continue, or "".
func continuation(err error) string {
	var status apierrors.APIStatus
	if !apierrors.IsResourceExpired(err) || !errors.As(err, &status) {
		return ""
	}
	return status.Status().ListMeta.Continue
}
