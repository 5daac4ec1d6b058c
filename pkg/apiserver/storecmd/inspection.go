// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
)

// pageSize is the number of objects in one page.
const pageSize = 500

// inspection reads the store that the server observes, and the objects of the cluster.
type inspection struct {
	// server is a client for any path of the server. The contents of the store are read from its
	// inventory, which is read from etcd: its API is closed, and a watch cache may contain the
	// objects of another store.
	server rest.Interface
	// cluster reads metadata of the kinds that discovery lists.
	cluster   metadata.Interface
	discovery discovery.DiscoveryInterface
}

// isOurs reports whether the objects of an API group are in Roadstead's store.
func isOurs(group string) bool {
	return group == "roadstead.dev" || strings.HasSuffix(group, ".roadstead.dev")
}

func newInspection(config *rest.Config, client kubernetes.Interface) (*inspection, error) {
	cluster, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &inspection{server: client.CoreV1().RESTClient(), cluster: cluster, discovery: client.Discovery()}, nil
}

// errHeaderRead ends the reading of an inventory after its header.
var errHeaderRead = errors.New("only the header is needed")

// observe returns the header of the inventory.
func (i *inspection) observe(ctx context.Context) (storeidentity.InventoryHeader, error) {
	header, err := storeidentity.ReadInventory(ctx, i.server, func(storeidentity.InventoryObject) error { return errHeaderRead })
	if errors.Is(err, errHeaderRead) {
		return header, nil
	}
	return header, explain(err)
}

// explain adds the required action to an error.
func explain(err error) error {
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("%w. The cluster does not serve the Roadstead APIs, or a server of an older version answers. "+
			"Check the APIServices: kubectl get apiservices", err)
	}
	return err
}

// stored is what is in the store.
type stored struct {
	header storeidentity.InventoryHeader
	// uids are the UIDs of all objects that can be read.
	uids map[types.UID]bool
	// unreadable is the number of the other objects, example describes one of them.
	unreadable int
	example    string
}

// inventory reads the complete inventory.
func (i *inspection) inventory(ctx context.Context) (*stored, error) {
	found := &stored{uids: map[types.UID]bool{}}
	var err error
	found.header, err = storeidentity.ReadInventory(ctx, i.server, func(object storeidentity.InventoryObject) error {
		if object.Error != "" || object.UID == "" {
			found.unreadable++
			resource := schema.GroupResource{Group: object.Group, Resource: object.Resource}
			found.example = fmt.Sprintf("%s %s: %s", resource, join(object.Namespace, object.Name), object.Error)
			return nil
		}
		found.uids[object.UID] = true
		return nil
	})
	return found, explain(err)
}

// refusal returns the error with which the server refuses requests, nil if it does not.
func (i *inspection) refusal(ctx context.Context) error {
	err := i.server.Get().AbsPath("/apis/release.roadstead.dev/v1alpha1/operators").Param("limit", "1").Do(ctx).Error()
	if apierrors.IsServiceUnavailable(err) {
		return err
	}
	return nil
}

// missingOwners returns the objects of the cluster whose owners should be in the store and are not.
func (i *inspection) missingOwners(ctx context.Context, found *stored) ([]missing, error) {
	dependents, err := i.dependents(ctx)
	if err != nil {
		return nil, err
	}
	var all []missing
	for _, resource := range dependents {
		err := each(ctx, i.cluster, resource, func(object *metav1.PartialObjectMetadata) {
			all = append(all, missingOf(resource, object, found.uids)...)
		})
		// A kind that is listed by discovery but not served has no dependents.
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
			return nil, err
		}
	}
	return all, nil
}

// dependents returns the kinds of the cluster that the garbage collector may delete. It omits the
// kinds of Roadstead, whose objects are in the same store as their owners.
func (i *inspection) dependents(ctx context.Context) ([]schema.GroupVersionResource, error) {
	lists, err := preferredResources(ctx, i.discovery)
	if err != nil {
		return nil, fmt.Errorf("not all API groups of the cluster can be listed, so the objects that would be deleted are unknown: %w", err)
	}
	deletable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "delete"}}, lists)
	resources, err := discovery.GroupVersionResources(deletable)
	if err != nil {
		return nil, err
	}
	var found []schema.GroupVersionResource
	for resource := range resources {
		// The garbage collector ignores events.
		if !isOurs(resource.Group) && resource.Resource != "events" {
			found = append(found, resource)
		}
	}
	return found, nil
}

// each reads all objects of a resource, page by page.
func each(
	ctx context.Context, client metadata.Interface, resource schema.GroupVersionResource, see func(*metav1.PartialObjectMetadata),
) error {
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.Resource(resource).List(ctx, options)
		if err != nil {
			return fmt.Errorf("list %s: %w", resource.GroupResource(), err)
		}
		for n := range page.Items {
			see(&page.Items[n])
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return nil
		}
	}
}
