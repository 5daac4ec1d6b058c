// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/apiserver/filters/inventory"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/compression"
	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/etcdstore"
	"roadstead.dev/roadstead/pkg/storage/identity"
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
func newStorageFactory(
	config storagebackend.Config, mediaType string, enabled serverstorage.APIResourceConfigSource,
) serverstorage.StorageFactory {
	return storageFactory{serverstorage.NewDefaultStorageFactory(
		config,
		mediaType,
		apiserver.StorageCodecs,
		serverstorage.NewDefaultResourceEncodingConfig(apiserver.Scheme),
		enabled,
		nil,
	)}
}

// store combines the client of etcd with the guard that refuses requests while the store cannot be
// used.
type store struct {
	client *etcdstore.Client
	gate   *gate.Gate
	guard  *identity.Guard
	// seeds are the transformers with the seeds of the installation.
	seeds *encryption.Transformers
	// inventory lists the contents of etcd, also while the guard refuses the store.
	inventory http.Handler
}

// newStore sets the storage of config and returns its parts. It must run after API enablement,
// because the factory reads which resources are enabled. member is the embedded etcd; nil: etcd is
// external.
func (o CompletedOptions) newStore(
	ctx context.Context, config *genericapiserver.RecommendedConfig, client kubernetes.Interface, member *etcd.Server,
) (*store, error) {
	made := &store{gate: gate.New()}
	var err error
	if made.seeds, err = encryptionTransformers(made.gate); err != nil {
		return nil, err
	}
	reader, err := encryption.NewReader(client, o.Namespace)
	if err != nil {
		return nil, err
	}
	// If the timeline fails, the guard ends the process.
	timeline := epoch.New(StoragePrefix, func(err error) { made.guard.Leave(err) })
	var readers value.ResourceTransformers
	if made.client, readers, err = o.applyStorage(ctx, config, made.seeds, reader, timeline, member); err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	if made.guard, err = o.newGuard(config, timeline, made.client, made.gate, member); err != nil {
		return nil, err
	}
	config.RESTOptionsGetter = generic.ReportUnavailable(config.RESTOptionsGetter)
	made.inventory = inventory.New(made.guard, inventoryLister{storageinventory.Lister{
		KV: made.client.Raw(), Prefix: StoragePrefix, Ignore: []string{unique.Folder},
		Transformer: compression.Transformers{Inner: readers}.TransformerForResource,
	}, reader}, apiserver.Codecs)
	return made, o.keepSeeds(config, client, made)
}

// applyStorage sets how objects are stored. It returns the client of etcd, and transformers that
// can read a store that may not be the one of this installation.
func (o CompletedOptions) applyStorage(
	ctx context.Context, config *genericapiserver.RecommendedConfig, seeds *encryption.Transformers, reader *encryption.Reader,
	timeline *epoch.Timeline, member *etcd.Server,
) (*etcdstore.Client, value.ResourceTransformers, error) {
	options := *o.Etcd
	if member != nil {
		options.StorageConfig.Transport.ServerList = []string{member.Endpoint()}
	}
	storage := options.StorageConfig
	storage.StorageObjectCountTracker = config.StorageObjectCountTracker
	storage.Transport.TracerProvider = config.TracerProvider
	factory := newStorageFactory(storage, options.DefaultStorageMediaType, config.MergedResourceConfig)
	if !o.ownEncryption() {
		config.ResourceTransformers = seeds
	}
	if err := options.ApplyWithStorageFactoryTo(factory, &config.Config); err != nil {
		return nil, nil, err
	}
	readers := value.ResourceTransformers(reader)
	if o.ownEncryption() {
		// Values that the seeds encrypted before the flag was set must remain readable.
		readers = reader.Before(config.ResourceTransformers)
		config.ResourceTransformers = seeds.Before(config.ResourceTransformers)
	}
	config.ResourceTransformers = compression.Transformers{Inner: config.ResourceTransformers}
	client, err := etcdstore.Dial(ctx, storage, member.KV(), timeline)
	if err != nil {
		return nil, nil, err
	}
	config.RESTOptionsGetter = etcdstore.Getter{
		RESTOptionsGetter: options.CreateRESTOptionsGetter(factory, config.ResourceTransformers),
		Client:            client, Cached: options.EnableWatchCache,
		Claims: config.ResourceTransformers.TransformerForResource(unique.Resource),
	}
	return client, readers, nil
}

// inventoryLister reads the seeds before it lists, because a server that refuses its store has not
// read them.
type inventoryLister struct {
	storageinventory.Lister
	seeds *encryption.Reader
}

// List implements inventory.Lister. Without seeds it lists the objects as unreadable.
func (l inventoryLister) List(
	ctx context.Context, header storeidentity.InventoryHeader, each func(storeidentity.InventoryObject) error,
) (int, error) {
	if err := l.seeds.Refresh(ctx); err != nil {
		klog.FromContext(ctx).Error(err, "Failed to read the encryption seeds; the inventory of the store may list objects as unreadable")
	}
	return l.Lister.List(ctx, header, each)
}
