// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"

	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// ReportUnavailable returns a getter whose stores return 503 with a message for clients if etcd is
// unavailable, is full, or is not the one that the server uses.
func ReportUnavailable(getter genericregistry.RESTOptionsGetter) genericregistry.RESTOptionsGetter {
	return reportingOptions{getter: getter}
}

type reportingOptions struct {
	getter genericregistry.RESTOptionsGetter
}

// WithoutCache implements Cacheless. It removes the cache below the storage that reports errors.
func (r reportingOptions) WithoutCache() genericregistry.RESTOptionsGetter {
	return reportingOptions{getter: withoutCache(r.getter)}
}

// WithUnique implements Uniquely.
func (r reportingOptions) WithUnique(fields []unique.Field) (genericregistry.RESTOptionsGetter, error) {
	below, err := withUnique(r.getter, fields)
	return reportingOptions{getter: below}, err
}

// GetRESTOptions implements genericregistry.RESTOptionsGetter.
func (r reportingOptions) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (genericregistry.RESTOptions, error) {
	options, err := r.getter.GetRESTOptions(resource, example)
	if err != nil {
		return options, err
	}
	inner := options.Decorator
	options.Decorator = func(config *storagebackend.ConfigForResource, prefix string, key func(runtime.Object) (string, error),
		newFunc, newListFunc func() runtime.Object, attrs storage.AttrFunc, trigger storage.IndexerFuncs, indexers *cache.Indexers,
	) (storage.Interface, factory.DestroyFunc, error) {
		store, destroy, err := inner(config, prefix, key, newFunc, newListFunc, attrs, trigger, indexers)
		if err != nil {
			return nil, destroy, err
		}
		return &reportingStorage{Interface: store}, destroy, nil
	}
	return options, nil
}

// reportingStorage is the storage of one resource, including its watch cache.
type reportingStorage struct {
	storage.Interface
}

// Uncached implements etcdstore.Uncacheable.
func (s *reportingStorage) Uncached() storage.Interface {
	return &reportingStorage{Interface: etcdstore.Uncached(s.Interface)}
}

// Unwrap returns the wrapped storage.
func (s *reportingStorage) Unwrap() storage.Interface { return s.Interface }

// Create stores a new object.
func (s *reportingStorage) Create(ctx context.Context, key string, object, out runtime.Object, ttl uint64) error {
	return report(s.Interface.Create(ctx, key, object, out, ttl))
}

// Delete deletes an object.
func (s *reportingStorage) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, cached runtime.Object, options storage.DeleteOptions,
) error {
	return report(s.Interface.Delete(ctx, key, out, preconditions, validate, cached, options))
}

// Get reads an object.
func (s *reportingStorage) Get(ctx context.Context, key string, options storage.GetOptions, into runtime.Object) error {
	return report(s.Interface.Get(ctx, key, options, into))
}

// GetList reads objects.
func (s *reportingStorage) GetList(ctx context.Context, key string, options storage.ListOptions, into runtime.Object) error {
	return report(s.Interface.GetList(ctx, key, options, into))
}

// GuaranteedUpdate changes an object.
func (s *reportingStorage) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, cached runtime.Object,
) error {
	return report(s.Interface.GuaranteedUpdate(ctx, key, destination, ignoreNotFound, preconditions, update, cached))
}

// Watch streams changes.
func (s *reportingStorage) Watch(ctx context.Context, key string, options storage.ListOptions) (watch.Interface, error) {
	stream, err := s.Interface.Watch(ctx, key, options)
	return stream, report(err)
}

// unbound is an error of the KV that checks every response of etcd. Its gRPC code is
// FailedPrecondition if etcd does not contain the store that the server uses, and Unavailable while
// that is not known yet.
type unbound interface {
	error
	apierrors.APIStatus
	GRPCStatus() *status.Status
}

// report converts an error of the storage into the error for the client.
func report(err error) error {
	var checked unbound
	switch {
	case err == nil:
		return nil
	case errors.As(err, &checked) && checked.GRPCStatus().Code() == codes.FailedPrecondition:
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Roadstead's store (etcd) is not the one that this server uses: %v. "+
			"The server exits. After its restart, refused requests describe what to do", checked))
	case errors.As(err, &checked):
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Roadstead's store (etcd) is not ready yet: %v. Try again", checked))
	case errors.Is(err, rpctypes.ErrNoSpace):
		return apierrors.NewServiceUnavailable(full)
	case unavailable(err):
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Roadstead's store (etcd) is unavailable: %v. Try again", err))
	default:
		return err
	}
}

// full is the error message while the size of etcd's database has reached the quota.
const full = "Roadstead's store (etcd) is full, so it accepts no writes except deletes. " +
	"Delete objects that are not needed, then run roadstead-apiserver defrag, which frees the space and disarms etcd's alarm"

// unavailable reports whether etcd could not be reached or has no leader.
func unavailable(err error) bool {
	var refusal rpctypes.EtcdError
	if errors.As(err, &refusal) {
		return refusal.Code() == codes.Unavailable
	}
	return status.Code(err) == codes.Unavailable || storage.IsUnreachable(err)
}
