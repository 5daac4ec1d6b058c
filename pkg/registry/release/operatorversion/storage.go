// SPDX-License-Identifier: Apache-2.0

package operatorversion

import (
	"context"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// NewREST returns the storage of OperatorVersions and of their status.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, objects *lookup.Objects) (*generic.REST, *generic.StatusREST, error) {
	return generic.NewStore(newKind(scheme, objects), getter)
}

// Of returns a function that gives the OperatorVersions of an Operator, in no order. They must not be changed.
func Of(store *generic.REST) func(context.Context, string) ([]release.OperatorVersion, error) {
	return func(ctx context.Context, operator string) ([]release.OperatorVersion, error) {
		found, err := store.List(ctx, &metainternalversion.ListOptions{FieldSelector: fields.OneTermEqualSelector(OperatorField, operator)})
		if err != nil {
			return nil, err
		}
		return found.(*release.OperatorVersionList).Items, nil
	}
}
