// SPDX-License-Identifier: Apache-2.0

// Package rest provides the storage of each version of the group takaro.roadstead.dev.
package rest

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"

	"roadstead.dev/roadstead/pkg/apis/takaro"
	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/takaro/domain"
	"roadstead.dev/roadstead/pkg/registry/takaro/mockserver"
	"roadstead.dev/roadstead/pkg/registry/takaro/takaroendpoint"
	"roadstead.dev/roadstead/pkg/registry/takaro/user"
)

// StorageProvider creates the storage of the group.
type StorageProvider struct {
	// Authorizer decides whether an error may name another object to the caller.
	Authorizer authorizer.Authorizer
	// ControllerUser is the name of Roadstead's controller.
	ControllerUser string
}

// GroupName is the group that the provider serves.
func (StorageProvider) GroupName() string { return takaro.GroupName }

// NewAPIGroup returns the group with every enabled resource, or nil when none is.
func (p StorageProvider) NewAPIGroup(scheme *runtime.Scheme, codecs serializer.CodecFactory, parameters runtime.ParameterCodec,
	enabled serverstorage.APIResourceConfigSource, getter genericregistry.RESTOptionsGetter) (*genericapiserver.APIGroupInfo, error) {
	storage := map[string]rest.Storage{}
	if enabled.ResourceEnabled(v1alpha1.SchemeGroupVersion.WithResource("domains")) {
		main, status, err := domain.NewREST(scheme, getter, p.Authorizer, p.ControllerUser)
		if err != nil {
			return nil, err
		}
		storage["domains"], storage["domains/status"] = main, status
	}
	if enabled.ResourceEnabled(v1alpha1.SchemeGroupVersion.WithResource("mockservers")) {
		main, status, scale, err := mockserver.NewREST(scheme, getter, p.ControllerUser)
		if err != nil {
			return nil, err
		}
		storage["mockservers"], storage["mockservers/status"], storage["mockservers/scale"] = main, status, scale
	}
	if enabled.ResourceEnabled(v1alpha1.SchemeGroupVersion.WithResource("takaroendpoints")) {
		main, status, err := takaroendpoint.NewREST(scheme, getter, p.ControllerUser)
		if err != nil {
			return nil, err
		}
		storage["takaroendpoints"], storage["takaroendpoints/status"] = main, status
	}
	if enabled.ResourceEnabled(v1alpha1.SchemeGroupVersion.WithResource("users")) {
		main, status, credentials, err := user.NewREST(scheme, getter, p.Authorizer, p.ControllerUser)
		if err != nil {
			return nil, err
		}
		storage["users"], storage["users/status"], storage["users/credentials"] = main, status, credentials
	}
	if len(storage) == 0 {
		return nil, nil
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(takaro.GroupName, scheme, parameters, codecs)
	group.VersionedResourcesStorageMap[v1alpha1.SchemeGroupVersion.Version] = storage
	return &group, nil
}
