// SPDX-License-Identifier: Apache-2.0

package mockserver

import (
	"k8s.io/apimachinery/pkg/runtime"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// NewREST returns the storage of MockServers, of their status, and of their scale.
func NewREST(scheme *runtime.Scheme, getter genericregistry.RESTOptionsGetter, controllerUser string) (*generic.REST, *generic.StatusREST,
	*generic.ScaleREST[*takaro.MockServer], error) {
	kind := newKind(scheme, controllerUser)
	main, status, err := generic.NewStore(kind, getter)
	if err != nil {
		return nil, nil, nil, err
	}
	return main, status, generic.NewScaleREST(main.Store, generic.Scale[*takaro.MockServer]{
		Wanted:   func(m *takaro.MockServer) **int32 { return &m.Spec.Replicas },
		Current:  func(m *takaro.MockServer) int32 { return m.Status.Replicas },
		Selector: func(m *takaro.MockServer) string { return m.Status.Selector },
	}), nil
}
