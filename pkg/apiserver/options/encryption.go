// SPDX-License-Identifier: Apache-2.0

package options

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver/filters/gate"
	"roadstead.dev/roadstead/pkg/storage/encryption"
	"roadstead.dev/roadstead/pkg/storage/unique"
)

// encryptionCause is the cause for which the gate refuses a resource that cannot be decrypted.
const encryptionCause = "encryption"

// encryptionSettle exceeds the time in which another replica observes a changed Secret; until then
// it may still write with the older seed.
const encryptionSettle = 10 * time.Second

// ownEncryption reports whether the flags set an encryption configuration, so that the seeds only
// decrypt.
func (o *Options) ownEncryption() bool {
	return o.Etcd.EncryptionProviderConfigFilepath != ""
}

// encryptionTransformers returns transformers that wait for the seeds of the installation. A
// resource with an object of an unknown seed is refused until there are other seeds, because its
// lists would be incomplete.
func encryptionTransformers(entrance *gate.Gate) (*encryption.Transformers, error) {
	return encryption.NewTransformers(nil, func(resource schema.GroupResource) {
		if entrance.Close(encryptionCause, resource, encryption.ErrUnknownSeed.Error()) {
			klog.ErrorS(encryption.ErrUnknownSeed, "Requests are refused", "resource", resource)
		}
	})
}

// keepSeeds registers the seeds with the guard, which reads them when the store is known to be the
// right one, watches their Secret, and encrypts the contents of the store again if the first seed
// changes.
func (o CompletedOptions) keepSeeds(config *genericapiserver.RecommendedConfig, client kubernetes.Interface, store *store) error {
	guard, early := store.guard, store.client.Early()
	seeds := encryption.NewSeeds(encryption.SeedsConfig{
		Client: client, Namespace: o.Namespace, KV: early, Prefix: StoragePrefix,
		Record: guard, Transformers: store.seeds, Provider: o.ownEncryption(),
	})
	guard.Keep(seeds)
	rewriter := encryption.Rewriter{
		KV: early, Prefix: StoragePrefix, Seeds: store.seeds,
		Transformers: config.ResourceTransformers, Provider: o.ownEncryption(), Resource: resourceOf, Settle: encryptionSettle,
		Ready: guard.Serving, Done: seeds.Refresh,
	}
	// The hook returns immediately: a server without seeds must serve discovery.
	return config.AddPostStartHook("encryption-seeds", func(hook genericapiserver.PostStartHookContext) error {
		changed := make(chan struct{}, 1)
		changed <- struct{}{}
		go func() {
			if !guard.AwaitServing(hook) {
				return
			}
			go rewriter.Run(hook, changed)
			seeds.Run(hook, func() {
				store.gate.Open(encryptionCause)
				select {
				case changed <- struct{}{}:
				default: // Another pass is pending already.
				}
			})
		}()
		return nil
	})
}

// resourceOf returns the resource of a key of the store: <prefix>/<group>/<resource>/…, or a claim.
func resourceOf(key string) schema.GroupResource {
	parts := strings.SplitN(strings.TrimPrefix(key, StoragePrefix+"/"), "/", 3)
	if len(parts) < 3 || parts[0] == unique.Folder {
		return unique.Resource
	}
	return schema.GroupResource{Group: parts[0], Resource: parts[1]}
}
