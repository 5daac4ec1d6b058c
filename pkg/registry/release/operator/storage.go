// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/registry/generic"
)

// NewREST returns the storage of Operators and of their status.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter) (*generic.REST, *generic.StatusREST, error) {
	return generic.NewStore(newKind(scheme), getter)
}
