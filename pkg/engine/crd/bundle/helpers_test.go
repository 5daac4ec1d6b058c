// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// manifest returns a CRD in YAML; extra is inserted below metadata.
func manifest(plural, extra string) string {
	kind := strings.ToUpper(plural[:1]) + plural[1:len(plural)-1]
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[1]s.example.com
%[3]sspec:
  group: example.com
  scope: Namespaced
  names: {plural: %[1]s, kind: %[2]s}
  unknown: passed over
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
`, plural, kind, extra)
}

const (
	chartYAML = "apiVersion: v2\nname: operator\nversion: 1.0.0\n"
	keep      = "  annotations:\n    helm.sh/resource-policy: keep\n"
	service   = "apiVersion: v1\nkind: Service\nmetadata:\n  name: hook\nspec:\n  ports: [{port: 443}, {port: 8443, targetPort: web}]\n"
)

// file is a file of an archive; a link has a target.
type file struct{ name, content, target string }

// pack writes an archive and returns its path. The files of the map are below the folder operator.
func pack(t *testing.T, files map[string]string, more ...file) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "operator.tgz")
	require.NoError(t, os.WriteFile(path, packed(t, files, more...), 0o600))
	return path
}

func packed(t *testing.T, files map[string]string, more ...file) []byte {
	t.Helper()
	var all []file
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, file{name: "operator/" + name, content: files[name]})
	}
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for _, one := range append(all, more...) {
		header := &tar.Header{Name: one.name, Mode: 0o644, Size: int64(len(one.content)), Typeflag: tar.TypeReg}
		if one.target != "" {
			header.Typeflag, header.Linkname = tar.TypeSymlink, one.target
		}
		require.NoError(t, archive.WriteHeader(header))
		_, err := archive.Write([]byte(one.content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	return out.Bytes()
}

// lay writes files below a new folder and returns its path.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return root
}

// seen returns the members as name, origin and whether they are kept.
func seen(set sets.Set) []string {
	found := []string{}
	for _, member := range set.Members {
		text := fmt.Sprintf("%s %s", member.CRD.Spec.Names.Plural, member.Origin)
		if member.Kept {
			text += " kept"
		}
		found = append(found, text)
	}
	return found
}
