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

// Media types that Helm gives the archive of a chart; the second is that of its first versions.
var chartTypes = []types.MediaType{"application/vnd.cncf.helm.chart.content.v1.tar+gzip", "application/tar+gzip"}

// pull fetches an archive from a registry: its manifest, and the layer that it names.
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

// manifest fetches the manifest of a version, and makes sure that it has the digest that comes with it.
func (c *Client) manifest(ctx context.Context, repository Repository, at *url.URL, chart, version string) (*session, []byte, error) {
	tag := tagOf(version)
	if !tagForm.MatchString(tag) {
		return nil, nil, &Error{Kind: KindInvalid, Message: fmt.Sprintf("%q cannot be a tag of a registry", clean(version))}
	}
	s, err := c.open(ctx, repository, at, chart)
	if err != nil {
		return nil, nil, err
	}
	what := fmt.Sprintf("the manifest of chart %s %s", chart, version)
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

// chartLayer finds the archive in a manifest.
func chartLayer(content []byte, what string) (*v1.Descriptor, error) {
	invalid := func(format string, args ...any) error {
		return &Error{Kind: KindInvalid, Message: fmt.Sprintf("the manifest of %s %s", what, fmt.Sprintf(format, args...))}
	}
	manifest, err := v1.ParseManifest(bytes.NewReader(content))
	if err != nil {
		return nil, invalid("cannot be read as one")
	}
	if manifest.MediaType.IsIndex() {
		return nil, invalid("is an index of several; tag the chart's own manifest")
	}
	at := slices.IndexFunc(manifest.Layers, func(layer v1.Descriptor) bool { return slices.Contains(chartTypes, layer.MediaType) })
	if at < 0 {
		return nil, invalid("is of something else than a Helm chart (%q)", clean(string(manifest.Config.MediaType)))
	}
	layer := &manifest.Layers[at]
	switch {
	case layer.Digest.Algorithm != "sha256":
		return nil, invalid("has a digest that is not of sha256")
	case layer.Size > MaxArchive:
		return nil, &Error{Kind: KindTooLarge, Message: fmt.Sprintf("%s is larger than %d MiB, and no more is read", what,
			MaxArchive>>20), Err: errTooLarge}
	}
	return layer, nil
}
