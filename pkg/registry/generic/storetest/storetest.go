// SPDX-License-Identifier: Apache-2.0

// Package storetest provides an etcd for tests of storage.
package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	genericregistry "k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"

	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/epoch/epochtest"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
)

// options are the options of stores in an etcd, independent of their client.
type options struct {
	config *storagebackend.Config
}

// New starts an etcd that stops at the end of the test, and returns a getter for stores in it, with
// watch caches, as in the server. Objects are stored in the given version, which must be registered
// in scheme.
func New(t *testing.T, scheme *runtime.Scheme, version schema.GroupVersion) etcdstore.Getter {
	t.Helper()
	server, err := etcd.Start(t.Context(), t.TempDir(), "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	config := storagebackend.NewDefaultConfig("/registry/test", serializer.NewCodecFactory(scheme).LegacyCodec(version))
	config.EncodeVersioner = version
	config.Transport.ServerList = []string{server.Endpoint()}
	config.Transport.TracerProvider = noop.NewTracerProvider()
	config.CompactionInterval = 0
	timeline := epoch.New(config.Prefix, func(err error) { t.Error(err) })
	client, err := etcdstore.Dial(t.Context(), *config, server.KV(), timeline)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	epochtest.Open(t, timeline, client.Raw(), config.Prefix)
	return etcdstore.Getter{RESTOptionsGetter: options{config: config}, Client: client, Cached: true,
		Claims: identity.NewEncryptCheckTransformer()}
}

// Ready waits until the watch cache of a store is ready to serve lists.
func Ready(t *testing.T, store interface{ ReadinessCheck() error }) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.NoError(c, store.ReadinessCheck()) }, 15*time.Second, 5*time.Millisecond)
}

// GetRESTOptions implements the getter of options.
func (o options) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (genericregistry.RESTOptions, error) {
	return genericregistry.RESTOptions{
		StorageConfig:           o.config.ForResource(resource),
		DeleteCollectionWorkers: 1,
		ResourcePrefix:          resource.Group + "/" + resource.Resource,
	}, nil
}
