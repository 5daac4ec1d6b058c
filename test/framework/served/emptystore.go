// SPDX-License-Identifier: Apache-2.0

package served

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// emptyStore is a store that has no objects and accepts none. Methods that are not implemented here
// panic, because they must not be called.
type emptyStore struct {
	storage.Interface
}

// Versioner returns the default versioner for resource versions.
func (emptyStore) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

// ReadinessCheck never fails.
func (emptyStore) ReadinessCheck() error { return nil }

// Check never reports a value that is already in use.
func (emptyStore) Check(context.Context, runtime.Object, bool) error { return nil }

// Get returns a NotFound error unless IgnoreNotFound is set.
func (emptyStore) Get(_ context.Context, key string, _ storage.GetOptions, _ runtime.Object) error {
	return storage.NewKeyNotFoundError(key, 0)
}

// GetList leaves the list empty.
func (emptyStore) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	return nil
}

// emptyStores provides the options of storage that uses an emptyStore.
type emptyStores struct{}

var (
	_ generic.Cacheless = emptyStores{}
	_ generic.Uniquely  = emptyStores{}
)

// WithoutCache implements generic.Cacheless.
func (e emptyStores) WithoutCache() genericregistry.RESTOptionsGetter { return e }

// WithUnique implements generic.Uniquely.
func (e emptyStores) WithUnique([]unique.Field) (genericregistry.RESTOptionsGetter, error) {
	return e, nil
}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (emptyStores) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (genericregistry.RESTOptions, error) {
	config := storagebackend.NewDefaultConfig("/registry",
		apiserver.StorageCodecs.LegacyCodec(apiserver.Scheme.PrioritizedVersionsForGroup(resource.Group)...))
	return genericregistry.RESTOptions{
		StorageConfig:  config.ForResource(resource),
		ResourcePrefix: resource.Group + "/" + resource.Resource,
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error),
			func() runtime.Object, func() runtime.Object,
			storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return emptyStore{}, func() {}, nil
		},
	}, nil
}
