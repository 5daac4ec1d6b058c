// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/apiserver/gate"
	"roadstead.dev/roadstead/pkg/registry/generic"
	"roadstead.dev/roadstead/pkg/storage/encryption"
)

// encryptionCause is why a resource is refused that cannot be decrypted.
const encryptionCause = "encryption"

// encryptionSettle is longer than another replica needs to hear of a changed Secret; until then it may still write with
// the older seed.
const encryptionSettle = 10 * time.Second

// ownEncryption tells whether the flags bring a configuration of encryption, so that the seeds do not write.
func (o *Options) ownEncryption() bool {
	return o.Etcd.EncryptionProviderConfigFilepath != ""
}

// encryptionSeeds returns the transformers of the installation's seeds, which are made when they are needed. A resource
// with an object that none of them wrote is refused until there are other seeds: its lists would be wrong.
func (o CompletedOptions) encryptionSeeds(ctx context.Context, client kubernetes.Interface, entrance *gate.Gate) (*encryption.Transformers, error) {
	get := encryption.Ensure
	if o.ownEncryption() {
		get = encryption.Existing
	}
	seeds, err := get(ctx, client, o.Namespace)
	if err != nil {
		return nil, err
	}
	return encryption.NewTransformers(seeds, func(resource schema.GroupResource) {
		if entrance.Close(encryptionCause, resource, encryption.ErrUnknownSeed.Error()) {
			klog.ErrorS(encryption.ErrUnknownSeed, "Requests are refused", "resource", resource)
		}
	})
}

// followSeeds takes up changes of the seeds while the server runs, and encrypts again what lies in the store when the key
// that writes has become another one.
func (o CompletedOptions) followSeeds(config *genericapiserver.RecommendedConfig, client kubernetes.Interface, seeds *encryption.Transformers, extra apiserver.ExtraConfig) error {
	rewriter := encryption.Rewriter{
		Client: extra.Claims.Client, Prefix: StoragePrefix, Seeds: seeds,
		Transformers: config.ResourceTransformers, Provider: o.ownEncryption(), Resource: resourceOf, Settle: encryptionSettle,
		Ready: extra.Identity.Ready,
	}
	return config.AddPostStartHook("encryption-seeds", func(hook genericapiserver.PostStartHookContext) error {
		changed := make(chan struct{}, 1)
		changed <- struct{}{}
		go rewriter.Run(hook, changed)
		return seeds.Follow(hook, client, o.Namespace, func() {
			extra.Gate.Open(encryptionCause)
			select {
			case changed <- struct{}{}:
			default: // one more pass is waiting already
			}
		})
	})
}

// resourceOf tells what lies under a key of the store: <prefix>/<group>/<resource>/…, or a claim.
func resourceOf(key string) schema.GroupResource {
	parts := strings.SplitN(strings.TrimPrefix(key, StoragePrefix+"/"), "/", 3)
	if len(parts) < 3 || parts[0] == generic.ClaimsFolder {
		return generic.ClaimsResource
	}
	return schema.GroupResource{Group: parts[0], Resource: parts[1]}
}
