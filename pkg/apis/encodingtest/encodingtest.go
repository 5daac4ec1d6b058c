// SPDX-License-Identifier: Apache-2.0

// Package encodingtest contains the tests of encodings that every API group runs for its kinds.
package encodingtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// RequireWire compares the encoding of a complete object of each kind with the files in
// ../testdata/wire, so that an upgraded server can read what an older version wrote. With
// UPDATE_COMPATIBILITY_FIXTURE_DATA=true in the environment it rewrites the files, which is
// necessary only after a change of the API.
func RequireWire(t *testing.T, addToScheme func(*runtime.Scheme) error, version schema.GroupVersion, kinds ...string) {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, addToScheme(scheme))
	options := roundtrip.NewCompatibilityTestOptions(scheme)
	options.TestDataDir = filepath.Join("..", "testdata")
	options.TestDataDirCurrentVersion = filepath.Join(options.TestDataDir, "wire")
	for _, kind := range kinds {
		options.Kinds = append(options.Kinds, version.WithKind(kind))
	}
	options.Complete(t).Run(t)
}

// Seed adds every file below the folders to the seed corpus of a fuzz target. Each folder must
// contain a file.
func Seed(f *testing.F, folders ...string) {
	f.Helper()
	for _, folder := range folders {
		seeds := 0
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			f.Add(content)
			seeds++
			return err
		})
		if err != nil || seeds == 0 {
			f.Fatalf("%d seeds in %s: %v", seeds, folder, err)
		}
	}
}

// RequireStable encodes an object in the published version and decodes it into the internal
// version, in every encoding. A second round must return the same result.
func RequireStable(t *testing.T, codecs serializer.CodecFactory, object runtime.Object, published, internal schema.GroupVersion) {
	t.Helper()
	for _, info := range codecs.SupportedMediaTypes() {
		codec := codecs.CodecForVersions(info.Serializer, info.Serializer, schema.GroupVersions{published}, schema.GroupVersions{internal})
		first := &bytes.Buffer{}
		if err := codec.Encode(object, first); err != nil {
			// For example, managed fields that were decoded from protobuf may not be valid JSON.
			continue
		}
		again, _, err := codec.Decode(first.Bytes(), nil, nil)
		if err != nil {
			t.Fatalf("%s: what was written cannot be read: %v\n%q", info.MediaType, err, first)
		}
		second := &bytes.Buffer{}
		if err := codec.Encode(again, second); err != nil {
			t.Fatalf("%s: %v", info.MediaType, err)
		}
		// Objects are compared, not bytes, because JSON has two encodings of text that was not
		// valid UTF-8 in protobuf.
		last, _, err := codec.Decode(second.Bytes(), nil, nil)
		if err != nil || !apiequality.Semantic.DeepEqual(again, last) {
			t.Fatalf("%s: %q became %q (%v)", info.MediaType, first, second, err)
		}
	}
}
