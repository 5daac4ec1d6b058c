// SPDX-License-Identifier: Apache-2.0

// Package storetest gives tests of storage a real etcd.
package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/storage/storagebackend"

	"roadstead.dev/roadstead/pkg/apiserver/etcd"
)

// Getter makes stores on the etcd of a test, with watch caches, as the server does.
type Getter struct {
	config *storagebackend.Config
}

// New starts an etcd that ends with the test. Objects are stored in the given version, which scheme must know.
func New(t *testing.T, scheme *runtime.Scheme, version schema.GroupVersion) Getter {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	config := storagebackend.NewDefaultConfig("/registry/test", serializer.NewCodecFactory(scheme).LegacyCodec(version))
	config.EncodeVersioner = version
	config.Transport.ServerList = []string{server.Endpoint()}
	config.CompactionInterval = 0
	return Getter{config: config}
}

// GetRESTOptions implements the getter of options.
func (g Getter) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (genericregistry.RESTOptions, error) {
	return genericregistry.RESTOptions{
		StorageConfig:           g.config.ForResource(resource),
		Decorator:               registry.StorageWithCacher(),
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          resource.Group + "/" + resource.Resource,
	}, nil
}
