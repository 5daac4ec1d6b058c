// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// Stored reads objects of this server directly from its storage, for rules that depend on another
// object: a request to the server itself would pass through the entire handler chain and be encoded
// twice. Reads are as fresh as a get without resourceVersion. Before Serve, every read returns an
// error.
type Stored struct {
	mu     sync.RWMutex
	served map[schema.GroupResource]rest.Storage
	mapper *meta.DefaultRESTMapper
}

// Serve adds the storage of the groups.
func (s *Stored) Serve(groups ...*genericapiserver.APIGroupInfo) {
	served, mapper := map[schema.GroupResource]rest.Storage{}, meta.NewDefaultRESTMapper(nil)
	for _, group := range groups {
		name := group.PrioritizedVersions[0].Group
		for version, storages := range group.VersionedResourcesStorageMap {
			for resource, storage := range storages {
				if strings.Contains(resource, "/") {
					continue
				}
				served[schema.GroupResource{Group: name, Resource: resource}] = storage
				addKind(mapper, group.Scheme, schema.GroupVersion{Group: name, Version: version}.WithResource(resource), storage)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.served, s.mapper = served, mapper
}

// addKind adds the kind of a resource to a mapper. Only objects that are stored can own others.
func addKind(mapper *meta.DefaultRESTMapper, scheme *runtime.Scheme, resource schema.GroupVersionResource, storage rest.Storage) {
	store, stored := storage.(rest.StandardStorage)
	if !stored {
		return
	}
	scope := meta.RESTScopeRoot
	if scoper, ok := storage.(rest.Scoper); ok && scoper.NamespaceScoped() {
		scope = meta.RESTScopeNamespace
	}
	kinds, _, err := scheme.ObjectKinds(store.New())
	if err != nil {
		return
	}
	mapper.AddSpecific(resource.GroupVersion().WithKind(kinds[0].Kind), resource, resource, scope)
}

// storage returns the storage of a resource, nil if the resource is not served.
func (s *Stored) storage(resource schema.GroupResource) (rest.Storage, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.served == nil {
		return nil, errNotServing()
	}
	return s.served[resource], nil
}

func errNotServing() error {
	return apierrors.NewServiceUnavailable("the storage of this server is not ready yet")
}

// Get returns an object in its internal version; namespace is empty for a cluster-scoped resource.
// It returns a NotFound error for a resource that is not served.
func (s *Stored) Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	storage, err := s.storage(resource)
	if err != nil {
		return nil, err
	}
	getter, readable := storage.(rest.Getter)
	if !readable {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return getter.Get(genericapirequest.WithNamespace(ctx, namespace), name, &metav1.GetOptions{})
}

// List returns the objects of a namespace for which keep returns true, in their internal version.
// It bypasses every cache, and returns no objects of a resource that is not served.
func (s *Stored) List(ctx context.Context, resource schema.GroupResource, namespace string,
	keep func(runtime.Object) bool) ([]runtime.Object, error) {
	storage, err := s.storage(resource)
	if err != nil || storage == nil {
		return nil, err
	}
	lister, able := storage.(interface {
		ListUncached(ctx context.Context, keep func(runtime.Object) bool) ([]runtime.Object, error)
	})
	if !able {
		return nil, fmt.Errorf("%s cannot be listed", resource)
	}
	return lister.ListUncached(genericapirequest.WithNamespace(ctx, namespace), keep)
}

// RESTMappings returns the resources of a kind that this server serves, as meta.RESTMapper does.
func (s *Stored) RESTMappings(kind schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.mapper == nil {
		return nil, errNotServing()
	}
	return s.mapper.RESTMappings(kind, versions...)
}
