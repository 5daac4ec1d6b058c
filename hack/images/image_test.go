// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// entry is a file of an unpacked image.
type entry struct {
	header  *tar.Header
	content []byte
}

func unpack(t *testing.T, image v1.Image) map[string]entry {
	t.Helper()
	stream := mutate.Extract(image)
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	all := map[string]entry{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		all[filepath.Clean(header.Name)] = entry{header, content}
	}
}

// TestAnImageHoldsTheProgramAndNoMoreThanItNeeds checks that an image has no shell, no library, and
// nothing that its user may change.
func TestAnImageHoldsTheProgramAndNoMoreThanItNeeds(t *testing.T) {
	for _, architecture := range []string{"amd64", "arm64"} {
		files := unpack(t, image(t, architecture))
		var paths []string
		for path, f := range files {
			paths = append(paths, path)
			assert.Zero(t, f.header.Uid, "%s belongs to root", path)
			assert.Zero(t, f.header.Gid, "%s belongs to root", path)
			assert.Zero(t, f.header.Mode&0o7022, "%s: mode %o is writable or gives another user's rights", path, f.header.Mode)
			assert.Contains(t, []byte{tar.TypeReg, tar.TypeDir}, f.header.Typeflag, path)
			assert.Zero(t, f.header.ModTime.Unix(), path)
		}
		assert.ElementsMatch(t, []string{"etc", "etc/group", "etc/passwd", "etc/ssl", "etc/ssl/certs", certificates, sample.name}, paths)
		assert.EqualValues(t, 0o555, files[sample.name].header.Mode, "anybody may run it")
		assert.Regexp(t, `^roadstead:x:65532:65532:`, string(files[passwd].content))
		assert.NotContains(t, string(files[sample.name].content), absolute(t, root), "no path of the machine that built it")
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	return path
}

func TestTheProgramIsStaticAndOfThePlatform(t *testing.T) {
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		binary, err := elf.NewFile(bytes.NewReader(unpack(t, image(t, architecture))[sample.name].content))
		require.NoError(t, err)
		assert.Equal(t, machine, binary.Machine)
		for _, segment := range binary.Progs {
			assert.NotEqual(t, elf.PT_INTERP, segment.Type, "%s: it wants a dynamic linker", architecture)
		}
	}
}

func TestTheConfigurationOfAnImage(t *testing.T) {
	for _, architecture := range []string{"amd64", "arm64"} {
		manifest, err := image(t, architecture).Manifest()
		require.NoError(t, err)
		assert.Equal(t, types.OCIManifestSchema1, manifest.MediaType)
		assert.Equal(t, types.OCIConfigJSON, manifest.Config.MediaType)
		config, err := image(t, architecture).ConfigFile()
		require.NoError(t, err)
		assert.Equal(t, "linux", config.OS)
		assert.Equal(t, architecture, config.Architecture)
		assert.Equal(t, time.Unix(1700000000, 0).UTC(), config.Created.UTC())
		assert.Equal(t, v1.Config{
			User: "65532:65532", Entrypoint: []string{"/sample"}, WorkingDir: "/",
			Labels: map[string]string{
				"org.opencontainers.image.created":     "2023-11-14T22:13:20Z",
				"org.opencontainers.image.description": "Stands for the others.",
				"org.opencontainers.image.licenses":    "Apache-2.0",
				"org.opencontainers.image.revision":    commit,
				"org.opencontainers.image.source":      "https://roadstead.dev/roadstead",
				"org.opencontainers.image.title":       "Sample",
				"org.opencontainers.image.version":     version,
			},
		}, config.Config)
	}
}

func TestTheIndexLeadsToBothPlatforms(t *testing.T) {
	manifest, err := here.result.index.IndexManifest()
	require.NoError(t, err)
	assert.Equal(t, types.OCIImageIndex, manifest.MediaType)
	assert.Equal(t, version, manifest.Annotations["org.opencontainers.image.version"])
	require.Len(t, manifest.Manifests, 2)
	for i, architecture := range []string{runtime.GOARCH, foreign} {
		assert.Equal(t, types.OCIManifestSchema1, manifest.Manifests[i].MediaType)
		assert.Equal(t, &v1.Platform{OS: "linux", Architecture: architecture}, manifest.Manifests[i].Platform)
	}
}

// TestTheSameInputGivesTheSameDigest builds the images again, later and into other directories.
func TestTheSameInputGivesTheSameDigest(t *testing.T) {
	again := build(t, here.options)
	for i, want := range []v1.Image{here.result.boms[0], here.result.boms[1]} {
		assert.Equal(t, digest(t, want), digest(t, again.boms[i]), "bill of materials")
	}
	assert.Equal(t, digest(t, here.result.index), digest(t, again.index))

	other := here.options
	other.version = "v1.2.4"
	assert.NotEqual(t, digest(t, here.result.index), digest(t, build(t, other).index), "the digest depends on the input")
}

func build(t *testing.T, o options) result {
	t.Helper()
	b, err := newBuilder(o, t.TempDir())
	require.NoError(t, err)
	built, err := b.build(t.Context(), sample)
	require.NoError(t, err)
	return built
}

func digest(t *testing.T, of interface{ Digest() (v1.Hash, error) }) string {
	t.Helper()
	hash, err := of.Digest()
	require.NoError(t, err)
	return hash.String()
}
