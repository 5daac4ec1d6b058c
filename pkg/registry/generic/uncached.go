// SPDX-License-Identifier: Apache-2.0

package generic

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
)

// withoutCache makes stores read from etcd instead of a watch cache.
func withoutCache(getter genericregistry.RESTOptionsGetter) genericregistry.RESTOptionsGetter {
	if able, ok := getter.(Cacheless); ok {
		return able.WithoutCache()
	}
	return uncached{getter}
}

// Cacheless is a getter of options that knows the same storage without a watch cache.
type Cacheless interface {
	genericregistry.RESTOptionsGetter
	// WithoutCache gives the getter of that; itself when its storage never has a cache.
	WithoutCache() genericregistry.RESTOptionsGetter
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
