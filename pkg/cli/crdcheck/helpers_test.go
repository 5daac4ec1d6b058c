// SPDX-License-Identifier: Apache-2.0

package crdcheck

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "Write the golden files.")

// golden compares with a file below testdata; the test may have changed its folder.
func golden(t *testing.T, folder, name, got string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if *update {
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "if this is better: go test ./pkg/cli/crdcheck -update")
}

// execute runs the command in the folder that the test is in.
func execute(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Execute(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

const conversion = `  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: system, name: hook, path: /convert}}
`

// manifest returns a CRD in YAML, with additional lines in metadata and spec.
func manifest(plural, group, metadata, spec string) string {
	kind := strings.ToUpper(plural[:1]) + plural[1:len(plural)-1]
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: %[1]s.%[2]s
%[4]sspec:
  group: %[2]s
  scope: Namespaced
  names: {plural: %[1]s, singular: %[5]s, kind: %[3]s, listKind: %[3]sList}
%[6]s  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string}
`, plural, group, kind, metadata, strings.ToLower(kind), spec)
}

// hooked returns a CRD with a second version and a conversion webhook.
func hooked(plural string) string {
	return manifest(plural, "example.com", "", conversion) +
		"  - name: v2\n    served: true\n    storage: false\n    schema: {openAPIV3Schema: {type: object}}\n"
}

func widgets() string { return manifest("widgets", "example.com", "", "") }

const (
	keep    = "  annotations:\n    helm.sh/resource-policy: keep\n"
	metrics = "apiVersion: v1\nkind: Service\nmetadata:\n  name: metrics\nspec:\n  ports: [{port: 8080}]\n"
)

// chart packs files into an archive in the current folder.
func chart(t *testing.T, name string, files map[string]string) {
	t.Helper()
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	write := func(name, content string) {
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: "operator/" + name, Mode: 0o644,
			Size: int64(len(content)), Typeflag: tar.TypeReg}))
		_, err := archive.Write([]byte(content))
		require.NoError(t, err)
	}
	write("Chart.yaml", "apiVersion: v2\nname: operator\nversion: 1.0.0\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write(name, files[name])
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o600))
}

// lay writes files to the current folder.
func lay(t *testing.T, files map[string]string) {
	t.Helper()
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
}

// inputs writes the inputs of the tests to a new folder, and changes to it. It returns the folder
// of golden files.
func inputs(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"NO_COLOR", "COLUMNS", "ROADSTEAD_STRICT"} {
		t.Setenv(name, "")
		require.NoError(t, os.Unsetenv(name))
	}
	folder, err := filepath.Abs("testdata")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	gadgets := manifest("gadgets", "example.com", keep, "")
	lay(t, map[string]string{
		"widgets.yaml": widgets(), "same.yaml": "# the same\n---\n" + widgets(),
		"both/w.yaml": widgets(), "both/g.yaml": gadgets, "one/g.yaml": gadgets,
		"renamed.yaml": manifest("widgets", "example.io", "", ""),
		"other.yaml":   "apiVersion: v1\nkind: ConfigMap\n", "broken.yaml": "a: [",
		"on.yaml": "crds: {install: true}\n",
	})
	switched := "{{ if .Values.crds.install }}\n" + widgets() + "{{ end }}\n"
	chart(t, "old.tgz", map[string]string{"templates/w.yaml": widgets(), "templates/g.yaml": gadgets,
		"crds/t.yaml": manifest("tools", "example.com", "", "")})
	chart(t, "new.tgz", map[string]string{"templates/s.yaml": metrics, "crds/n.yaml": hooked("novelties")})
	chart(t, "folder.tgz", map[string]string{"crds/w.yaml": widgets()})
	chart(t, "empty.tgz", nil)
	chart(t, "hooked.tgz", map[string]string{"templates/s.yaml": metrics, "crds/w.yaml": hooked("widgets")})
	chart(t, "switched.tgz", map[string]string{"templates/w.yaml": switched, "values.yaml": "crds: {install: false}\n"})
	return folder
}
