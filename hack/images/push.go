// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// push writes images and bills of materials to <registry>/<program>:<version>, with the credentials
// of "docker login", and returns that tag. For a registry that does not list referrers, it writes
// them to a tag of the image's digest.
func push(ctx context.Context, registry, program, version string, built result) (name.Tag, error) {
	tag, err := name.NewTag(registry+"/"+program+":"+version, name.StrictValidation)
	if err != nil {
		return tag, err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithUserAgent("roadstead-images")}
	// The bills of materials are pushed first, so that they exist once the tag is visible.
	for _, bom := range built.boms {
		digest, err := bom.Digest()
		if err != nil {
			return tag, err
		}
		if err := remote.Write(tag.Context().Digest(digest.String()), bom, options...); err != nil {
			return tag, err
		}
	}
	return tag, remote.WriteIndex(tag, built.index, options...)
}
