// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/registry/etcdstore"
)

// withoutCache makes stores read from etcd instead of a watch cache. The proof of absence stays: it is wrapped around the
// storage, so the cache is taken out from below it.
func withoutCache(getter genericregistry.RESTOptionsGetter) genericregistry.RESTOptionsGetter {
	if cacheless, ok := getter.(Cacheless); ok {
		return cacheless
	}
	if proven, ok := getter.(provenOptions); ok {
		return provenOptions{getter: withoutCache(proven.getter), guard: proven.guard}
	}
	if shared, ok := getter.(etcdstore.Getter); ok {
		return shared.WithoutCache()
	}
	return uncached{getter}
}

// Cacheless is a getter of options whose storage has no watch cache, and need not be in etcd.
type Cacheless interface {
	genericregistry.RESTOptionsGetter
	// WithoutCache marks it; it does nothing.
	WithoutCache()
}

// uncached gives storage without a watch cache.
type uncached struct {
	genericregistry.RESTOptionsGetter
}

// GetRESTOptions returns the options of the resource with plain storage.
func (u uncached) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (genericregistry.RESTOptions, error) {
	options, err := u.RESTOptionsGetter.GetRESTOptions(resource, example)
	options.Decorator = genericregistry.UndecoratedStorage
	return options, err
}
