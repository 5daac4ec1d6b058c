// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// Guard knows whether the store that answers is the right one.
type Guard interface {
	// Prove returns nil when it is, by a read that begins after the call, else the answer to the client.
	Prove(ctx context.Context) error
	// While returns a context that ends when the store stops to be the right one or to answer. Release must be called.
	While(ctx context.Context) (bound context.Context, release func())
}

// ProveAbsence lets every store that is made with the options ask guard before it says that something is not there: to the
// host's garbage collector that is the permission to delete what the object owns. It also turns what an etcd that is away
// or full answers into words for clients.
func ProveAbsence(getter genericregistry.RESTOptionsGetter, guard Guard) genericregistry.RESTOptionsGetter {
	return provenOptions{getter: getter, guard: guard}
}

type provenOptions struct {
	getter genericregistry.RESTOptionsGetter
	guard  Guard
}

// WithoutCache implements Cacheless. The proof stays: it is wrapped around the storage, so the cache is taken out from below
// it.
func (p provenOptions) WithoutCache() genericregistry.RESTOptionsGetter {
	return provenOptions{getter: withoutCache(p.getter), guard: p.guard}
}

// StoresBeside tells whether the storage below does.
func (p provenOptions) StoresBeside() bool { return storesBeside(p.getter) }

// GetRESTOptions implements genericregistry.RESTOptionsGetter.
func (p provenOptions) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (genericregistry.RESTOptions, error) {
	options, err := p.getter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	inner := options.Decorator
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error), newFunc, newListFunc func() runtime.Object, attrs storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := inner(config, prefix, key, newFunc, newListFunc, attrs, trigger, indexers)
		if err != nil {
			return nil, destroy, err
		}
		return &provenStorage{Interface: store, guard: p.guard}, destroy, nil
	}
	return options, nil
}

// provenStorage is the storage of one resource, watch cache included.
type provenStorage struct {
	storage.Interface
	guard Guard
}

// Create stores a new object.
func (s *provenStorage) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	return s.call(ctx, func(ctx context.Context) error { return s.Interface.Create(ctx, key, object, out, ttl) })
}

// Delete deletes an object; that it is not there is proven.
func (s *provenStorage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions, validate storage.ValidateObjectFunc, cached runtime.Object, options storage.DeleteOptions) error {
	return s.call(ctx, func(ctx context.Context) error {
		return s.Interface.Delete(ctx, key, out, preconditions, validate, cached, options)
	})
}

// Get reads an object; that it is not there is proven.
func (s *provenStorage) Get(ctx context.Context, key string, options storage.GetOptions, into runtime.Object) error {
	err := s.call(ctx, func(ctx context.Context) error { return s.Interface.Get(ctx, key, options, into) })
	if err != nil || !options.IgnoreNotFound {
		return err
	}
	found, err := meta.Accessor(into)
	if err == nil && found.GetResourceVersion() == "" {
		return s.guard.Prove(ctx)
	}
	return err
}

// GetList reads objects; that there is none is proven.
func (s *provenStorage) GetList(ctx context.Context, key string, options storage.ListOptions, into runtime.Object) error {
	err := s.call(ctx, func(ctx context.Context) error { return s.Interface.GetList(ctx, key, options, into) })
	if err == nil && meta.LenList(into) == 0 {
		return s.guard.Prove(ctx)
	}
	return err
}

// GuaranteedUpdate changes an object; that it is not there is proven.
func (s *provenStorage) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool, preconditions *storage.Preconditions, update storage.UpdateFunc, cached runtime.Object) error {
	return s.call(ctx, func(ctx context.Context) error {
		return s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, update, cached)
	})
}

// Watch streams changes. One that begins with what is there says by that what is not; it begins only after a proof. What
// is lost later comes as events, which nothing can take back.
func (s *provenStorage) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		if err := s.guard.Prove(ctx); err != nil {
			return nil, err
		}
	}
	return s.Interface.Watch(ctx, key, options)
}

// call calls the storage and makes of its error what the client is told.
func (s *provenStorage) call(ctx context.Context, do func(context.Context) error) error {
	bound, release := s.guard.While(ctx)
	defer release()
	err := do(bound)
	switch {
	case err == nil:
		return nil
	case storage.IsNotFound(err):
		if unproven := s.guard.Prove(ctx); unproven != nil {
			return unproven
		}
		return err
	case errors.Is(err, rpctypes.ErrNoSpace):
		return apierrors.NewServiceUnavailable(full)
	case unavailable(err), bound.Err() != nil && ctx.Err() == nil:
		if unproven := s.guard.Prove(ctx); unproven != nil {
			return unproven
		}
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Roadstead's store (etcd) did not answer for a moment: %v. Try again", err))
	default:
		return err
	}
}
