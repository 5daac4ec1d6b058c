// SPDX-License-Identifier: Apache-2.0

// Package rest provides the storage of each version of the group release.roadstead.dev.
package rest

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"

	"roadstead.dev/roadstead/pkg/apis/release"
	"roadstead.dev/roadstead/pkg/apis/release/v1alpha1"
	"roadstead.dev/roadstead/pkg/registry/release/lookup"
)

// StorageProvider creates the storage of the group.
type StorageProvider struct {
	// Uncached decides whether a user may approve. It has no cache, so that a revoked right
	// approves nothing.
	Uncached authorizer.Authorizer
	// ControllerUser is the name of Roadstead's controller, the only user that creates Approvals and CRDSchemas of a chart.
	ControllerUser string
	// SelfApproval allows users to approve what they requested.
	SelfApproval bool
}

// GroupName is the group that the provider serves.
func (StorageProvider) GroupName() string { return release.GroupName }

// NewAPIGroup returns the group with every enabled resource, or nil when none is.
func (p StorageProvider) NewAPIGroup(scheme *runtime.Scheme, codecs serializer.CodecFactory, parameters runtime.ParameterCodec,
	enabled serverstorage.APIResourceConfigSource, getter genericregistry.RESTOptionsGetter) (*genericapiserver.APIGroupInfo, error) {
	storage := map[string]rest.Storage{}
	objects := &lookup.Objects{}
	for _, add := range []func(*runtime.Scheme, genericregistry.RESTOptionsGetter, *lookup.Objects, map[string]rest.Storage) error{
		p.addOperators, p.addDecisions,
	} {
		if err := add(scheme, getter, objects, storage); err != nil {
			return nil, err
		}
	}
	for resource := range storage {
		main, _, _ := strings.Cut(resource, "/")
		if !enabled.ResourceEnabled(v1alpha1.SchemeGroupVersion.WithResource(main)) {
			delete(storage, resource)
		}
	}
	if len(storage) == 0 {
		return nil, nil
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(release.GroupName, scheme, parameters, codecs)
	group.VersionedResourcesStorageMap[v1alpha1.SchemeGroupVersion.Version] = storage
	return &group, nil
}
