// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// result is the output for one program.
type result struct {
	// index refers to the image of each platform.
	index v1.ImageIndex
	// boms are the bills of materials of these images. Each refers to its image (OCI 1.1
	// "subject").
	boms []v1.Image
}

// builder builds programs that share the base layer.
type builder struct {
	options options
	scratch string
	base    v1.Layer
}

// newBuilder returns a builder that compiles into the directory scratch.
func newBuilder(o options, scratch string) (*builder, error) {
	base, err := baseLayer()
	return &builder{options: o, scratch: scratch, base: base}, err
}

// build builds the images of a program.
func (b *builder) build(ctx context.Context, p program) (result, error) {
	built := result{index: mutate.Annotations(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), labels(p, b.options)).(v1.ImageIndex)}
	for _, platform := range b.options.platforms {
		image, bom, err := b.buildFor(ctx, p, platform)
		if err != nil {
			return result{}, err
		}
		built.index = mutate.AppendManifests(built.index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &platform},
		})
		built.boms = append(built.boms, bom)
	}
	return built, nil
}

func (b *builder) buildFor(ctx context.Context, p program, platform v1.Platform) (image, bom v1.Image, err error) {
	binary := filepath.Join(b.scratch, p.name+"-"+platform.Architecture)
	if err := compile(ctx, b.options.root, p.pkg, b.options.ldflags, platform, binary); err != nil {
		return nil, nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, nil, err
	}
	layer, err := newLayer(file{path: p.name, mode: 0o555, content: content})
	if err != nil {
		return nil, nil, err
	}
	if image, err = newImage(p, platform, b.options, b.base, layer); err != nil {
		return nil, nil, err
	}
	document, err := newBOM(p, b.options, content)
	if err != nil {
		return nil, nil, err
	}
	bom, err = attach(document, image)
	return image, bom, err
}
