// SPDX-License-Identifier: Apache-2.0

package repository

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// The media types of chart archives. The second one was used by the first versions of Helm.
var chartTypes = []types.MediaType{"application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip"}

// pull downloads an archive from a registry: its manifest, and the layer in the manifest.
func (c *Client) pull(ctx context.Context, repository Repository, at *url.URL, chart, version string) (*Archive, error) {
	what := fmt.Sprintf("chart %s %s", chart, version)
	s, manifest, err := c.manifest(ctx, repository, at, chart, version)
	if err != nil {
		return nil, err
	}
	layer, err := chartLayer(manifest, what)
	if err != nil {
		return nil, err
	}
	content, err := s.get(ctx, "blobs/"+layer.Digest.String(), getting{limit: MaxArchive, what: what, missing: MissingVersion})
	if err != nil {
		return nil, err
	}
	if came := digestOf(content.body); came != layer.Digest.String() {
		return nil, mismatch(what, "its manifest", layer.Digest.String(), came)
	}
	return &Archive{Name: chart, Version: version, Digest: digestOf(manifest), Packed: content.body}, nil
}

func (c *Client) manifestDigest(ctx context.Context, repository Repository, at *url.URL, chart, version string) (string, error) {
	_, manifest, err := c.manifest(ctx, repository, at, chart, version)
	if err != nil {
		return "", err
	}
	return digestOf(manifest), nil
}

// manifest downloads the manifest of a version, and verifies the digest in the response.
func (c *Client) manifest(ctx context.Context, repository Repository, at *url.URL, chart, version string) (*session, []byte, error) {
	tag := tagOf(version)
	if !tagForm.MatchString(tag) {
		return nil, nil, &Error{Kind: KindInvalid, Message: fmt.Sprintf("%q is not a valid tag of a registry", clean(version))}
	}
	s, err := c.open(ctx, repository, at, chart)
	if err != nil {
		return nil, nil, err
	}
	what := fmt.Sprintf("manifest of chart %s %s", chart, version)
	got, err := s.get(ctx, "manifests/"+tag, getting{
		header: http.Header{"Accept": {string(types.OCIManifestSchema1)}}, limit: maxManifest, what: what, missing: MissingVersion,
	})
	if err != nil {
		return nil, nil, err
	}
	digest := digestOf(got.body)
	if announced := got.header.Get("Docker-Content-Digest"); strings.HasPrefix(announced, digestPrefix) && announced != digest {
		return nil, nil, mismatch(what, "the registry", announced, digest)
	}
	return s, got.body, nil
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// chartLayer returns the descriptor of the archive in a manifest.
func chartLayer(content []byte, what string) (*v1.Descriptor, error) {
	invalid := func(format string, args ...any) error {
		return &Error{Kind: KindInvalid, Message: fmt.Sprintf("manifest of %s %s", what, fmt.Sprintf(format, args...))}
	}
	manifest, err := v1.ParseManifest(bytes.NewReader(content))
	if err != nil {
		return nil, invalid("cannot be decoded")
	}
	if manifest.MediaType.IsIndex() {
		return nil, invalid("is an index of several manifests; tag the manifest of the chart")
	}
	at := slices.IndexFunc(manifest.Layers, func(layer v1.Descriptor) bool { return slices.Contains(chartTypes, layer.MediaType) })
	if at < 0 {
		return nil, invalid("is not a manifest of a Helm chart (%q)", clean(string(manifest.Config.MediaType)))
	}
	layer := &manifest.Layers[at]
	switch {
	case layer.Digest.Algorithm != "sha256":
		return nil, invalid("does not have a sha256 digest")
	case layer.Size > MaxArchive:
		return nil, &Error{Kind: KindTooLarge, Message: fmt.Sprintf("%s is larger than %d MiB", what,
			MaxArchive>>20), Err: errTooLarge}
	}
	return layer, nil
}
