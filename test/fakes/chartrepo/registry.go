// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	ociregistry "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Registry is an OCI registry (go-containerregistry's) with charts below the path "charts".
type Registry struct {
	front
	push *http.Transport
}

// NewRegistry starts a registry that serves TLS. Its own pushes trust authority, in PEM. Stop it
// with Close.
func NewRegistry(config *tls.Config, authority []byte) (*Registry, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("chartrepo: the authority holds no certificate")
	}
	r := &Registry{push: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	return r, r.serve(config, ociregistry.New(ociregistry.Logger(log.New(io.Discard, "", 0))))
}

// URL returns the URL of the charts.
func (r *Registry) URL() string { return "oci://" + r.Host() + "/charts" }

// Add packs a chart and pushes it as Helm does. It returns the digest of the manifest. Call it
// before faults and logins are set.
func (r *Registry) Add(ctx context.Context, chart Chart) (digest string, err error) {
	archive, err := Pack(chart)
	if err != nil {
		return "", err
	}
	return r.AddArchive(ctx, chart.Name, chart.Version, archive)
}

// AddArchive pushes an archive unchanged and returns the digest of the manifest.
func (r *Registry) AddArchive(ctx context.Context, chart, version string, archive []byte) (digest string, err error) {
	layer := static.NewLayer(archive, "application/vnd.cncf.helm.chart.content.v1.tar+gzip")
	config := static.NewLayer([]byte(fmt.Sprintf(`{"name":%q,"version":%q}`, chart, version)), "application/vnd.cncf.helm.config.v1+json")
	return r.AddManifest(ctx, chart, version, config, layer)
}

// AddManifest pushes a manifest with a configuration and layers of any type.
func (r *Registry) AddManifest(ctx context.Context, chart, version string, config v1.Layer, layers ...v1.Layer) (digest string, err error) {
	repository, err := name.NewRepository(r.Host() + "/charts/" + chart)
	if err != nil {
		return "", err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithTransport(r.push), remote.WithAuth(authn.Anonymous)}
	manifest := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	for i, layer := range append([]v1.Layer{config}, layers...) {
		if err := remote.WriteLayer(repository, layer, options...); err != nil {
			return "", err
		}
		described, err := describe(layer)
		if err != nil {
			return "", err
		}
		if i == 0 {
			manifest.Config = described
			continue
		}
		manifest.Layers = append(manifest.Layers, described)
	}
	content, err := json.Marshal(manifest)
	if err != nil {
		return "", err
	}
	tag := repository.Tag(strings.ReplaceAll(version, "+", "_"))
	if err := remote.Put(tag, rawManifest{content, types.OCIManifestSchema1}, options...); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func describe(layer v1.Layer) (v1.Descriptor, error) {
	digest, err := layer.Digest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	size, err := layer.Size()
	if err != nil {
		return v1.Descriptor{}, err
	}
	mediaType, err := layer.MediaType()
	return v1.Descriptor{Digest: digest, Size: size, MediaType: mediaType}, err
}

type rawManifest struct {
	content   []byte
	mediaType types.MediaType
}

func (m rawManifest) RawManifest() ([]byte, error)        { return m.content, nil }
func (m rawManifest) MediaType() (types.MediaType, error) { return m.mediaType, nil }
