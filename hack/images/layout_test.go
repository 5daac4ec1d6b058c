// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLayoutHoldsImagesAndBillsOfMaterials(t *testing.T) {
	index, err := layout.ImageIndexFromPath(here.layout)
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 3)
	assert.Equal(t, digest(t, here.result.index), manifest.Manifests[0].Digest.String())
	assert.Equal(t, version, manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"])
	for i, bom := range here.result.boms {
		assert.Equal(t, digest(t, bom), manifest.Manifests[i+1].Digest.String())
		assert.Equal(t, string(bomType), manifest.Manifests[i+1].ArtifactType)
	}
}

func TestALayoutTakesThePlaceOfAnOlderOne(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "sample")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "blobs", "sha256"), 0o755))
	stale := filepath.Join(folder, "blobs", "sha256", "stale")
	require.NoError(t, os.WriteFile(stale, nil, 0o600))
	require.NoError(t, writeLayout(folder, version, here.result))
	assert.NoFileExists(t, stale)
	assert.FileExists(t, filepath.Join(folder, "oci-layout"))
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing half done is left")
}

// TestPushedImagesCanBePulled covers registries with and without the referrers API.
func TestPushedImagesCanBePulled(t *testing.T) {
	for name, referrers := range map[string]bool{"with the referrers API": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(registry.New(registry.WithReferrersSupport(referrers), registry.Logger(log.New(io.Discard, "", 0))))
			t.Cleanup(server.Close)
			tag, err := push(t.Context(), server.Listener.Addr().String()+"/team", sample.name, version, here.result)
			require.NoError(t, err)
			assert.Equal(t, server.Listener.Addr().String()+"/team/sample:v1.2.3", tag.String())
			pulled, err := remote.Index(tag)
			require.NoError(t, err)
			require.NoError(t, validate.Index(pulled))
			assert.Equal(t, digest(t, here.result.index), digest(t, pulled))
			assertReferrers(t, tag)
		})
	}
}

func assertReferrers(t *testing.T, tag name.Tag) {
	t.Helper()
	manifest, err := here.result.index.IndexManifest()
	require.NoError(t, err)
	for i, descriptor := range manifest.Manifests {
		found, err := remote.Referrers(tag.Context().Digest(descriptor.Digest.String()))
		require.NoError(t, err)
		list, err := found.IndexManifest()
		require.NoError(t, err)
		require.Len(t, list.Manifests, 1)
		assert.Equal(t, digest(t, here.result.boms[i]), list.Manifests[0].Digest.String())
		assert.Equal(t, string(bomType), list.Manifests[0].ArtifactType)
	}
}

func TestARefusedPushSaysWhy(t *testing.T) {
	for registry, want := range map[string]string{
		"not a registry": "repository can only contain the characters", "127.0.0.1:1/team": "connection refused",
	} {
		_, err := push(t.Context(), registry, sample.name, version, here.result)
		assert.ErrorContains(t, err, want)
	}
}
