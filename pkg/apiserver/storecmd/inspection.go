// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/storeidentity"
)

// pageSize is how many objects are read at once.
const pageSize = 500

// inspection looks into a store that the server refuses, and into the cluster.
type inspection struct {
	// plain reads as anybody does, looking past the refusal of the store with the given id.
	plain, looking metadata.Interface
	// ours are the kinds in the store, others those of the cluster that the garbage collector may delete.
	ours, others []schema.GroupVersionResource
}

// isOurs tells whether the objects of an API group are in our store.
func isOurs(group string) bool {
	return group == "roadstead.dev" || strings.HasSuffix(group, ".roadstead.dev")
}

func newInspection(ctx context.Context, config *rest.Config, server discovery.DiscoveryInterface, id string) (*inspection, error) {
	plain, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	with := rest.CopyConfig(config)
	with.Wrap(func(next http.RoundTripper) http.RoundTripper { return header{next: next, id: id} })
	looking, err := metadata.NewForConfig(with)
	if err != nil {
		return nil, err
	}
	lists, err := preferredResources(ctx, server)
	if err != nil {
		return nil, fmt.Errorf("the cluster's API groups cannot all be listed, so neither can what would be deleted: %w", err)
	}
	found := &inspection{plain: plain, looking: looking}
	deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}}, lists)
	resources, err := discovery.GroupVersionResources(deletable)
	if err != nil {
		return nil, err
	}
	for resource := range resources {
		switch {
		case isOurs(resource.Group):
			found.ours = append(found.ours, resource)
		case resource.Resource != "events": // the garbage collector leaves them alone
			found.others = append(found.others, resource)
		}
	}
	if len(found.ours) == 0 {
		return nil, errors.New("the cluster does not serve the Roadstead APIs: look at \"kubectl get apiservices\"")
	}
	return found, nil
}

// header adds the header that lets reads of a refused store pass.
type header struct {
	next http.RoundTripper
	id   string
}

// RoundTrip implements http.RoundTripper.
func (h header) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set(storeidentity.InspectHeader, h.id)
	return h.next.RoundTrip(request)
}

// served gives nil when the server serves its store.
func (i *inspection) served(ctx context.Context) error {
	_, err := i.plain.Resource(i.ours[0]).List(ctx, metav1.ListOptions{Limit: 1})
	return err
}

// refused gives nil when the server refuses its store.
func (i *inspection) refused(ctx context.Context) error {
	err := i.served(ctx)
	switch {
	case err == nil:
		return errors.New("the server does not refuse its store: there is nothing to accept")
	case apierrors.IsServiceUnavailable(err):
		return nil
	default:
		return err
	}
}

// missingOwners returns the objects in the cluster whose owners should be in the store and are not.
func (i *inspection) missingOwners(ctx context.Context) ([]missing, error) {
	stored := map[types.UID]bool{}
	for _, resource := range i.ours {
		if err := each(ctx, i.looking, resource, func(object *metav1.PartialObjectMetadata) { stored[object.UID] = true }); err != nil {
			return nil, fmt.Errorf("the store cannot be looked into: is --id that of the message that follows? %w", err)
		}
	}
	var found []missing
	for _, resource := range append(i.others, i.ours...) {
		err := each(ctx, i.looking, resource, func(object *metav1.PartialObjectMetadata) {
			found = append(found, missingOf(resource, object, stored)...)
		})
		// A kind that is served without being there, or that nobody may list, has no dependents for us to tell of.
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
			return nil, err
		}
	}
	return found, nil
}

// each reads all objects of a resource, page by page.
func each(ctx context.Context, client metadata.Interface, resource schema.GroupVersionResource, see func(*metav1.PartialObjectMetadata)) error {
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.Resource(resource).List(ctx, options)
		if err != nil {
			return fmt.Errorf("listing %s: %w", resource.GroupResource(), err)
		}
		for n := range page.Items {
			see(&page.Items[n])
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return nil
		}
	}
}
