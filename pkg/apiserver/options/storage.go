// SPDX-License-Identifier: Apache-2.0

package options

import (
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// storageFactory keeps the group in the path of every resource. The default one drops it, and two groups with the same
// plural would then share a folder.
type storageFactory struct {
	*serverstorage.DefaultStorageFactory
}

// ResourcePrefix returns <group>/<plural>.
func (f storageFactory) ResourcePrefix(resource schema.GroupResource) string {
	return resource.Group + "/" + f.DefaultStorageFactory.ResourcePrefix(resource)
}

// newStorageFactory stores every kind as protobuf in the version that its group prefers.
func newStorageFactory(config storagebackend.Config, mediaType string, enabled serverstorage.APIResourceConfigSource) serverstorage.StorageFactory {
	return storageFactory{serverstorage.NewDefaultStorageFactory(
		config,
		mediaType,
		apiserver.StorageCodecs,
		serverstorage.NewDefaultResourceEncodingConfig(apiserver.Scheme),
		enabled,
		nil,
	)}
}

// newClaims returns the claims in the same etcd as the objects.
func newClaims(client *clientv3.Client, prefix string, requestTimeout time.Duration, encrypt value.ResourceTransformers) *generic.Claims {
	return &generic.Claims{
		Client: client, Prefix: prefix, Patience: 2 * requestTimeout, Clock: clock.RealClock{},
		Transformer: encrypt.TransformerForResource(generic.ClaimsResource),
	}
}
