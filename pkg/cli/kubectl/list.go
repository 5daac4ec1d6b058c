// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// atOnce is the maximum number of concurrent list requests.
	atOnce = 10
	// pageSize is the number of objects in one page.
	pageSize = 500
	// listLimit is the maximum number of objects of one kind. The output names kinds with more
	// objects.
	listLimit = 10000
)

// listing is the result of listing one kind.
type listing struct {
	kind  *kind
	items []unstructured.Unstructured
	// cut is true if there are more objects than listLimit.
	cut bool
	// err is the error of the list request.
	err error
}

// complete reports whether the listing contains all objects.
func (l *listing) complete() bool { return l.err == nil && !l.cut }

// list lists kinds concurrently, namespaced ones in a namespace (empty: all). An error of one kind
// is in its listing.
func (c *cluster) list(ctx context.Context, kinds []*kind, namespace string) []*listing {
	listings := make([]*listing, len(kinds))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, k := range kinds {
		group.Go(func() error {
			listings[i] = c.listKind(ctx, k, namespace)
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return listings
}

func (c *cluster) listKind(ctx context.Context, k *kind, namespace string) *listing {
	if !k.Namespaced {
		namespace = ""
	}
	found := &listing{kind: k}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := c.objects.Resource(k.resource()).Namespace(namespace).List(ctx, options)
		if err != nil {
			found.err = fmt.Errorf("list %s: %w", k.fullName(), err)
			return found
		}
		found.items = append(found.items, page.Items...)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return found
		}
		if len(found.items) >= listLimit {
			found.cut = true
			return found
		}
	}
}

// partials lists only metadata, with the same limits. It returns the error of the request
// unchanged.
func (c *cluster) partials(ctx context.Context, k *kind, namespace string) (items []metav1.PartialObjectMetadata, cut bool, err error) {
	if !k.Namespaced {
		namespace = ""
	}
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := c.metadata.Resource(k.resource()).Namespace(namespace).List(ctx, options)
		if err != nil {
			return nil, false, err
		}
		items = append(items, page.Items...)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return items, false, nil
		}
		if len(items) >= listLimit {
			return items, true, nil
		}
	}
}
