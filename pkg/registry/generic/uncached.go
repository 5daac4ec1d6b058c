// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
)

// withoutCache returns a getter whose stores read from etcd instead of a watch cache.
func withoutCache(getter genericregistry.RESTOptionsGetter) genericregistry.RESTOptionsGetter {
	if able, ok := getter.(Cacheless); ok {
		return able.WithoutCache()
	}
	return uncached{getter}
}

// Cacheless is a getter of options that can provide the same storage without a watch cache.
type Cacheless interface {
	genericregistry.RESTOptionsGetter
	// WithoutCache returns a getter of storage without a watch cache; itself if its storage never
	// has one.
	WithoutCache() genericregistry.RESTOptionsGetter
}

// uncached returns storage without a watch cache.
type uncached struct {
	genericregistry.RESTOptionsGetter
}

// GetRESTOptions returns the options of the resource with plain storage.
func (u uncached) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (genericregistry.RESTOptions, error) {
	options, err := u.RESTOptionsGetter.GetRESTOptions(resource, example)
	options.Decorator = genericregistry.UndecoratedStorage
	return options, err
}
