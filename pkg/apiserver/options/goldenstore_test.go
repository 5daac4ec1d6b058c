// SPDX-License-Identifier: Apache-2.0

package options

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"

	"roadstead.dev/roadstead/pkg/storage/unique"
)

const (
	// goldenFolder has a folder for each version.
	goldenFolder = "../../../testdata/store"
	// updateGoldenStore is the environment variable with the version whose folder is written again.
	updateGoldenStore = "UPDATE_GOLDEN_STORE"
)

// TestGoldenStore requires that this server reads what each version wrote into etcd, and writes what the newest one does.
func TestGoldenStore(t *testing.T) {
	wanted := goldenNow(t)
	if name := os.Getenv(updateGoldenStore); name != "" {
		writeGolden(t, filepath.Join(goldenFolder, name), wanted)
	}
	versions := goldenVersions(t)
	newest := readGolden(t, versions[len(versions)-1])
	const help = "the stored form changed, or a kind or field is new: if that is meant, run make golden-store and look at the difference"
	require.Equal(t, slices.Sorted(maps.Keys(wanted)), slices.Sorted(maps.Keys(newest)), help)
	for file, content := range wanted {
		require.Equal(t, string(content), string(newest[file]), "%s: %s", file, help)
	}
	for i, name := range versions {
		files := readGolden(t, name)
		for file, content := range files {
			switch filepath.Ext(file) {
			case ".pb":
				requireReadable(t, name+"/"+file, content, files[strings.TrimSuffix(file, ".pb")+".yaml"], i == len(versions)-1)
			case ".json":
				requireReadableClaim(t, name+"/"+file, content)
			}
		}
	}
}

// requireReadable decodes a stored value as the server does and compares it with its golden YAML.
func requireReadable(t *testing.T, file string, stored, golden []byte, newest bool) {
	t.Helper()
	require.True(t, bytes.HasPrefix(stored, []byte("k8s\x00")), "%s: values are protobuf", file)
	codec := storageCodec(t, strings.Split(file, "/")[1], strings.Split(file, "/")[2])
	object, _, err := codec.Decode(stored, nil, nil)
	require.NoError(t, err, file)
	named, err := meta.Accessor(object)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(file, path.Join("/", named.GetNamespace(), named.GetName())+".pb"), "%s holds %s/%s", file,
		named.GetNamespace(), named.GetName())
	meant, _, err := codec.Decode(golden, nil, nil)
	require.NoError(t, err, "%s: its YAML", file)
	require.True(t, apiequality.Semantic.DeepEqual(meant, object), "%s is not what its YAML says:\n%s", file, toYAML(t, object))
	again, err := runtime.Encode(codec, object)
	require.NoError(t, err, file)
	if newest {
		require.Equal(t, string(stored), string(again), "%s: what was read is written unchanged", file)
	}
}

func requireReadableClaim(t *testing.T, file string, stored []byte) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(stored))
	decoder.DisallowUnknownFields()
	var claim unique.Claim
	require.NoError(t, decoder.Decode(&claim), file)
	require.NotEmpty(t, claim.UID, file)
	parts := strings.Split(file, "/")
	at := unique.Records{Kind: schema.GroupResource{Group: parts[2], Resource: parts[3]}}.Path("", claim.Key)
	require.True(t, strings.HasSuffix(file, at+".json"), "%s: a claim lies where its value is looked for: %s", file, at)
}

// goldenVersions returns the folders, oldest first.
func goldenVersions(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(goldenFolder)
	require.NoError(t, err)
	var found []*version.Version
	for _, entry := range entries {
		if parsed, err := version.ParseSemantic(entry.Name()); err == nil {
			found = append(found, parsed)
		}
	}
	slices.SortFunc(found, func(a, b *version.Version) int {
		if a.LessThan(b) {
			return -1
		}
		return 1
	})
	require.NotEmpty(t, found, "no version in %s: run make golden-store", goldenFolder)
	var names []string
	for _, one := range found {
		names = append(names, "v"+one.String())
	}
	return names
}

// readGolden returns the files of a version by their path in it.
func readGolden(t *testing.T, name string) map[string][]byte {
	t.Helper()
	root, files := filepath.Join(goldenFolder, name), map[string][]byte{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		files[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/")] = content
		return err
	}))
	return files
}

func writeGolden(t *testing.T, root string, files map[string][]byte) {
	t.Helper()
	_, err := version.ParseSemantic(filepath.Base(root))
	require.NoError(t, err, "%s names a version", updateGoldenStore)
	require.NoError(t, os.RemoveAll(root))
	for file, content := range files {
		path := filepath.Join(root, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, content, 0o644))
	}
}
