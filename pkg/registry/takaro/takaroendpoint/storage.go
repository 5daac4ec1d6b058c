// SPDX-License-Identifier: Apache-2.0

package takaroendpoint

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// NewREST returns the storage of TakaroEndpoints and of their status. Only the user controllerUser
// creates them, because deletions in Takaro depend on their content.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, controllerUser string) (*generic.REST,
	*generic.StatusREST, error) {
	main, status, err := generic.NewStore(newKind(scheme), getter)
	if err != nil {
		return nil, nil, err
	}
	main.BeginCreate = onlyController(controllerUser)
	return main, status, nil
}

// onlyController returns a hook that refuses to create a TakaroEndpoint for any other user,
// whatever its permissions.
func onlyController(controllerUser string) func(context.Context, runtime.Object, *metav1.CreateOptions) (registry.FinishFunc, error) {
	return func(ctx context.Context, obj runtime.Object, _ *metav1.CreateOptions) (registry.FinishFunc, error) {
		if caller, known := genericapirequest.UserFrom(ctx); known && caller.GetName() == controllerUser {
			return func(context.Context, bool) {}, nil
		}
		return nil, apierrors.NewForbidden(takaro.Resource("takaroendpoints"), obj.(*takaro.TakaroEndpoint).Name,
			fmt.Errorf("only the controller (user %q) creates TakaroEndpoints, for the addresses that Domains use", controllerUser))
	}
}
