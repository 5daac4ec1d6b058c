// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

// Stored reads objects of this server straight from its storage, for rules that look at another object: a request to
// itself would go through the whole handler chain and be encoded twice. What it reads is as fresh as a get without
// resourceVersion. Before Serve every read is an error.
type Stored struct {
	mu      sync.RWMutex
	getters map[schema.GroupResource]rest.Getter
}

// Serve makes the objects of the groups readable.
func (s *Stored) Serve(groups ...*genericapiserver.APIGroupInfo) {
	getters := map[schema.GroupResource]rest.Getter{}
	for _, group := range groups {
		for _, storages := range group.VersionedResourcesStorageMap {
			for resource, storage := range storages {
				if getter, readable := storage.(rest.Getter); readable && !strings.Contains(resource, "/") {
					getters[schema.GroupResource{Group: group.PrioritizedVersions[0].Group, Resource: resource}] = getter
				}
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.getters = getters
}

// Get gives an object in its internal version; namespace is empty for a resource of the cluster. An object of a resource
// that is not served is not found.
func (s *Stored) Get(ctx context.Context, resource schema.GroupResource, namespace, name string) (runtime.Object, error) {
	s.mu.RLock()
	getters := s.getters
	s.mu.RUnlock()
	if getters == nil {
		return nil, apierrors.NewServiceUnavailable("the storage of this server is not ready yet")
	}
	getter, served := getters[resource]
	if !served {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return getter.Get(genericapirequest.WithNamespace(ctx, namespace), name, &metav1.GetOptions{})
}
