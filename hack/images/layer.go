// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// file is an entry of a layer. A path that ends with / is a directory.
type file struct {
	path    string
	mode    int64
	content []byte
}

// newLayer returns a layer of files that are owned by root and have no timestamp, so that the same
// files result in the same layer.
func newLayer(files ...file) (v1.Layer, error) {
	var buffer bytes.Buffer
	archive := tar.NewWriter(&buffer)
	for _, f := range files {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: f.path, Mode: f.mode, Size: int64(len(f.content)),
			ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
		}
		if strings.HasSuffix(f.path, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	content := buffer.Bytes()
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}
