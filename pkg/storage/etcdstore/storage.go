// SPDX-License-Identifier: Apache-2.0

package etcdstore

import (
	"context"
	"errors"
	"sync"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/features"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/cacher"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/pkg/storage/unique"
)

// Getter returns the options of another getter, with storage that uses the shared client.
type Getter struct {
	genericregistry.RESTOptionsGetter
	Client *Client
	// Cached is true if the storage has a watch cache.
	Cached bool
	// Claims encrypts the records of unique values.
	Claims value.Transformer
	// fields have unique values.
	fields []unique.Field
}

// GetRESTOptions implements genericregistry.RESTOptionsGetter.
func (g Getter) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (genericregistry.RESTOptions, error) {
	options, err := g.RESTOptionsGetter.GetRESTOptions(resource, example)
	options.Decorator = g.uncached
	if g.Cached {
		options.Decorator = g.cached
	}
	return options, err
}

// WithUnique returns a getter whose storage keeps the values of the fields unique and, below any watch cache, is a
// unique.Checker.
func (g Getter) WithUnique(fields []unique.Field) (genericregistry.RESTOptionsGetter, error) {
	g.fields = fields
	return g, nil
}

// WithoutCache returns a getter of the same storage without watch caches.
func (g Getter) WithoutCache() genericregistry.RESTOptionsGetter {
	g.Cached = false
	return g
}

// uncached is a genericregistry.StorageDecorator.
func (g Getter) uncached(
	config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
	newFunc, newListFunc func() runtime.Object, _ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	return g.storage(config, prefix, key, newFunc, newListFunc)
}

// cached is a genericregistry.StorageDecorator.
func (g Getter) cached(
	config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
	newFunc, newListFunc func() runtime.Object, attrs storage.AttrFunc, triggers storage.IndexerFuncs, indexers *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	stored, destroy, err := g.storage(config, prefix, key, newFunc, newListFunc)
	if err != nil {
		return nil, nil, err
	}
	watched, err := cacher.NewCacherFromConfig(cacher.Config{
		Storage: stored, Versioner: storage.APIObjectVersioner{}, Codec: config.Codec,
		GroupResource: config.GroupResource, ResourcePrefix: prefix, EventsHistoryWindow: config.EventsHistoryWindow,
		KeyFunc: key, NewFunc: newFunc, NewListFunc: newListFunc, GetAttrsFunc: attrs, IndexerFuncs: triggers, Indexers: indexers,
	})
	if err != nil {
		destroy()
		return nil, nil, err
	}
	delegator := cacher.NewCacheDelegator(watched, stored)
	return cachedStorage{Interface: delegator, stored: stored}, sync.OnceFunc(func() {
		delegator.Stop()
		watched.Stop()
		destroy()
	}), nil
}

// cachedStorage is storage behind a watch cache.
type cachedStorage struct {
	storage.Interface
	stored storage.Interface
}

// Uncached implements Uncacheable.
func (c cachedStorage) Uncached() storage.Interface { return c.stored }

// Uncacheable is storage that can be read without its watch cache.
type Uncacheable interface {
	// Uncached returns the storage behind the watch cache.
	Uncached() storage.Interface
}

// Uncached returns the storage behind the watch cache of s, or s itself if it has none.
func Uncached(s storage.Interface) storage.Interface {
	if cached, ok := s.(Uncacheable); ok {
		return cached.Uncached()
	}
	return s
}

// storage returns the storage of one resource, as the factory of the generic server creates it, and
// adds the storage that keeps values unique.
func (g Getter) storage(
	config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
	newFunc, newListFunc func() runtime.Object,
) (storage.Interface, factory.DestroyFunc, error) {
	c, transformer, versioner := g.Client, config.Transformer, storage.APIObjectVersioner{}
	codec := sharing{config.Codec, c.sets}
	if transformer == nil {
		transformer = identity.NewEncryptCheckTransformer()
	}
	decoder := etcd3.NewDefaultDecoder(codec, versioner)
	deletesCorrupt := utilfeature.DefaultFeatureGate.Enabled(features.AllowUnsafeMalformedObjectDeletion)
	if deletesCorrupt {
		transformer = etcd3.WithCorruptObjErrorHandlingTransformer(transformer)
		decoder = etcd3.WithCorruptObjErrorHandlingDecoder(decoder)
	}
	view := c.view()
	client := &kubernetes.Client{Client: view}
	client.Kubernetes = client
	if len(g.fields) > 0 {
		client.Kubernetes = createsNothing{client.Kubernetes}
	}
	var compactor etcd3.Compactor
	if c.compactor != nil {
		compactor = c.compactor
	}
	made, err := etcd3.New(client, compactor, codec, newFunc, newListFunc, config.Prefix, prefix, config.GroupResource,
		transformer, config.LeaseManagerConfig, decoder, versioner)
	if err != nil {
		_ = view.Watcher.Close()
		return nil, nil, err
	}
	var stored storage.Interface = made
	if deletesCorrupt {
		stored = etcd3.NewStoreWithUnsafeCorruptObjectDeletion(made, config.GroupResource)
	}
	cleaning, stopCleaning := context.WithCancel(c.etcd.Ctx())
	if len(g.fields) > 0 {
		keeping := &unique.Storage{
			Interface: stored, Fields: g.fields, KV: view.KV, Codec: codec, Decoder: decoder, Transformer: transformer,
			Records:        unique.Records{Prefix: config.Prefix, Kind: config.GroupResource, Transformer: g.Claims},
			ResourcePrefix: prefix, New: newFunc, Key: key,
		}
		go keeping.RunClean(cleaning)
		stored = keeping
	}
	return stored, sync.OnceFunc(func() {
		stopCleaning()
		made.Close()
		// This closes the streams of the resource; the connection is shared.
		_ = view.Watcher.Close()
	}), nil
}

// createsNothing is a client for storage whose objects are created, together with their claims, by
// the storage that wraps it. If a later generic server creates objects in another way, the request
// must fail, because the object would have no claims.
type createsNothing struct{ kubernetes.Interface }

// OptimisticPut implements kubernetes.Interface.
func (c createsNothing) OptimisticPut(
	ctx context.Context, key string, value []byte, expected int64, options kubernetes.PutOptions,
) (kubernetes.PutResponse, error) {
	if expected == 0 {
		return kubernetes.PutResponse{}, errors.New("an object with unique values cannot be created without its claims: this is a defect of " +
			"Roadstead")
	}
	return c.Interface.OptimisticPut(ctx, key, value, expected, options)
}
