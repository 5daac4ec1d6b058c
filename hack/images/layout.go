// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// bomType is the media type of CycloneDX documents in JSON.
	bomType types.MediaType = "application/vnd.cyclonedx+json"
	// refName is the annotation by which tools find an image in a layout that contains more than
	// one manifest.
	refName = "org.opencontainers.image.ref.name"
)

// attach returns the artifact that contains a bill of materials and refers to its image, so that
// registries list it among the image's referrers.
func attach(bom []byte, image v1.Image) (v1.Image, error) {
	subject, err := partial.Descriptor(image)
	if err != nil {
		return nil, err
	}
	// An artifact without a type has that of its configuration.
	artifact, err := mutate.AppendLayers(mutate.ConfigMediaType(empty.Image, bomType), static.NewLayer(bom, bomType))
	if err != nil {
		return nil, err
	}
	artifact = mutate.MediaType(artifact, types.OCIManifestSchema1)
	return mutate.Subject(artifact, v1.Descriptor{MediaType: subject.MediaType, Size: subject.Size, Digest: subject.Digest}).(v1.Image), nil
}

// writeLayout writes an OCI layout and replaces an older one, which is kept if the write fails.
func writeLayout(folder, version string, built result) (err error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }()
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	into, err := layout.Write(fresh, empty.Index)
	if err != nil {
		return err
	}
	if err := into.AppendIndex(built.index, layout.WithAnnotations(map[string]string{refName: version})); err != nil {
		return err
	}
	for _, bom := range built.boms {
		if err := into.AppendImage(bom); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(fresh, folder)
}
