// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/filters/inventory"
	"roadstead.dev/roadstead/pkg/storage/compression"
	"roadstead.dev/roadstead/pkg/storage/encryption"
	storageinventory "roadstead.dev/roadstead/pkg/storage/inventory"
	"roadstead.dev/roadstead/pkg/storage/unique"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
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

// newInventory lists what is in etcd, whatever the guard says of it.
func newInventory(extra apiserver.ExtraConfig, seeds *encryption.Reader, readers value.ResourceTransformers) http.Handler {
	return inventory.New(extra.Identity, inventoryLister{storageinventory.Lister{
		KV: extra.Etcd.Raw(), Prefix: StoragePrefix, Ignore: []string{unique.Folder},
		Transformer: compression.Transformers{Inner: readers}.TransformerForResource,
	}, seeds}, apiserver.Codecs)
}

// inventoryLister reads the seeds before it lists: a server that refuses its store has not read them otherwise.
type inventoryLister struct {
	storageinventory.Lister
	seeds *encryption.Reader
}

// List implements inventory.Lister. Without seeds it lists objects that cannot be read.
func (l inventoryLister) List(ctx context.Context, header storeidentity.InventoryHeader, each func(storeidentity.InventoryObject) error) (int, error) {
	if err := l.seeds.Refresh(ctx); err != nil {
		klog.FromContext(ctx).Error(err, "Objects in the inventory of the store may not be readable")
	}
	return l.Lister.List(ctx, header, each)
}
