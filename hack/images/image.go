// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// newImage returns the image of a program for a platform, built from its layers, the base first.
func newImage(p program, platform v1.Platform, o options, layers ...v1.Layer) (v1.Image, error) {
	created := v1.Time{Time: o.created}
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), &v1.ConfigFile{
		Architecture: platform.Architecture, OS: platform.OS, Created: created,
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			// kubelet cannot determine whether a user name is that of root, and would refuse
			// runAsNonRoot.
			User:       fmt.Sprintf("%d:%d", uid, uid),
			Entrypoint: []string{"/" + p.name},
			WorkingDir: "/",
			Labels:     labels(p, o),
		},
	})
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		history := v1.History{Created: created, CreatedBy: "hack/images"}
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history}); err != nil {
			return nil, err
		}
	}
	return mutate.MediaType(image, types.OCIManifestSchema1), nil
}

// labels returns the standard labels of OCI images. They are labels of each image, where engines
// show them, and annotations of the index, where registries show them.
func labels(p program, o options) map[string]string {
	all := map[string]string{
		"org.opencontainers.image.created":     o.created.Format(time.RFC3339),
		"org.opencontainers.image.description": p.description,
		"org.opencontainers.image.licenses":    license,
		"org.opencontainers.image.source":      o.source,
		"org.opencontainers.image.title":       p.title,
		"org.opencontainers.image.version":     o.version,
	}
	if o.revision != "" {
		all["org.opencontainers.image.revision"] = o.revision
	}
	return all
}
