// SPDX-License-Identifier: Apache-2.0

package options

import (
	"fmt"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/value"
	"k8s.io/utils/clock"

	"roadstead.dev/roadstead/pkg/apiserver"
	"roadstead.dev/roadstead/pkg/registry/generic"
)

// What the generic server's own etcd clients have: the first bounds a connection's making; by the others a member that
// does not answer any more is left within 40 seconds, and one whose process ended at once.
const (
	dialTimeout      = 20 * time.Second
	keepaliveTime    = 30 * time.Second
	keepaliveTimeout = 10 * time.Second
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
func newClaims(config storagebackend.Config, requestTimeout time.Duration, encrypt value.ResourceTransformers) (*generic.Claims, error) {
	etcd := clientv3.Config{
		Endpoints:   config.Transport.ServerList,
		DialTimeout: dialTimeout, DialKeepAliveTime: keepaliveTime, DialKeepAliveTimeout: keepaliveTimeout,
	}
	if files := config.Transport; files.CertFile != "" || files.TrustedCAFile != "" {
		info := transport.TLSInfo{CertFile: files.CertFile, KeyFile: files.KeyFile, TrustedCAFile: files.TrustedCAFile}
		tls, err := info.ClientConfig()
		if err != nil {
			return nil, fmt.Errorf("etcd client certificate: %w", err)
		}
		etcd.TLS = tls
	}
	client, err := clientv3.New(etcd)
	if err != nil {
		return nil, fmt.Errorf("etcd client: %w", err)
	}
	return &generic.Claims{
		Client: client, Prefix: config.Prefix, Patience: 2 * requestTimeout, Clock: clock.RealClock{},
		Transformer: encrypt.TransformerForResource(generic.ClaimsResource),
	}, nil
}
