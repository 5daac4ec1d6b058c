// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// NewREST returns the storage of OperatorVersions and of their status. controllerUser is the user
// that creates the discovered versions.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects,
	controllerUser string) (*generic.REST, *generic.StatusREST, error) {
	return generic.NewStore(newKind(scheme, objects, controllerUser), getter)
}

// All returns a function that returns every OperatorVersion, in no order. They must not be changed.
func All(store *generic.REST) func(context.Context) ([]release.OperatorVersion, error) {
	return func(ctx context.Context) ([]release.OperatorVersion, error) {
		found, err := store.List(ctx, &metainternalversion.ListOptions{})
		if err != nil {
			return nil, err
		}
		return found.(*release.OperatorVersionList).Items, nil
	}
}
