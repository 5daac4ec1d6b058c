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
	// atOnce is how many lists are asked for at the same time.
	atOnce = 10
	// pageSize is how many objects are asked for in one request.
	pageSize = 500
	// listLimit is how many objects of one kind are looked at. What lies beyond is said.
	listLimit = 10000
)

// listing is what came of listing one kind.
type listing struct {
	kind  *kind
	items []unstructured.Unstructured
	// cut tells that there are more than listLimit.
	cut bool
	// err is why it could not be listed.
	err error
}

// complete tells that what is not in the listing is not there.
func (l *listing) complete() bool { return l.err == nil && !l.cut }

// list lists kinds at the same time, namespaced ones in a namespace (empty: in all). An error of one kind is in its listing.
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
	_ = group.Wait() // none gives an error
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
			found.err = fmt.Errorf("listing %s: %w", k.fullName(), err)
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

// partials lists metadata only, with the same limits. The error is the request's own, for the caller to judge.
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
