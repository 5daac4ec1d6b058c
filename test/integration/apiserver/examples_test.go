// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"roadstead.dev/roadstead/test/docs"
)

const checkout = "../../.."

// TestExamplesOfTheDocumentationAreAccepted verifies that the server accepts every manifest of the
// documentation and the examples unchanged.
func TestExamplesOfTheDocumentationAreAccepted(t *testing.T) {
	namespace := env.Namespace(t)
	kinds := map[string]int{}
	for where, manifest := range examples(t) {
		if !strings.Contains(manifest, "roadstead.dev/v1alpha1") {
			continue // a third-party CRD that demonstrates the CRD guard
		}
		t.Run(where, func(t *testing.T) {
			for _, object := range decode(t, manifest) {
				kinds[object.GetKind()]++
				name := object.GetNamespace()
				if object.GetKind() == "Namespace" {
					name = object.GetName()
				}
				if name == "" {
					continue
				}
				// A dry run does not create the namespaces of the manifest.
				applyAsAdmin(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+"}\n")
			}
			out, problems := applyAsAdmin(t, manifest, "--dry-run=server", "-n", namespaceOf(manifest, namespace))
			assert.Contains(t, out, "server dry run")
			for warning := range strings.Lines(problems) {
				assert.Regexp(t, "does not exist", warning, "the only thing that may be warned of is an object that comes later")
			}
		})
	}
	for _, kind := range []string{"Domain", "MockServer", "User", "Operator", "OperatorVersion", "CRDSchema", "CompatibilityReview"} {
		assert.Positive(t, kinds[kind], "there is no example of a %s", kind)
	}
}

func applyAsAdmin(t *testing.T, manifest string, options ...string) (out, problems string) {
	t.Helper()
	out, problems, err := env.Cluster.KubectlAs(env.Cluster.Kubeconfig()).WithStdin(strings.NewReader(manifest)).
		Run(t.Context(), append([]string{"apply", "-f", "-"}, options...)...)
	require.NoError(t, err, "%s", manifest)
	return out, problems
}

// namespaceOf returns the namespace in which kubectl applies a manifest without a namespace. A
// namespace in the manifest must match the option.
func namespaceOf(manifest, otherwise string) string {
	if _, named, found := strings.Cut(manifest, "\n  namespace: "); found {
		name, _, _ := strings.Cut(named, "\n")
		return name
	}
	return otherwise
}

// examples returns the manifests of the documentation and of the examples by their location.
func examples(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	pages, err := filepath.Glob(filepath.Join(checkout, "docs", "*.md"))
	require.NoError(t, err)
	migration, err := filepath.Glob(filepath.Join(checkout, "docs", "migration", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, migration)
	for _, page := range append(append(pages, migration...), filepath.Join(checkout, "README.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for i, example := range docs.Examples(string(text)) {
			found[fmt.Sprintf("%s %d", filepath.Base(page), i+1)] = example
		}
	}
	files, err := filepath.Glob(filepath.Join(checkout, "artifacts", "examples", "*", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found[filepath.Base(file)] = string(text)
	}
	return found
}

func decode(t *testing.T, manifest string) []unstructured.Unstructured {
	t.Helper()
	var all []unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), 4096)
	for {
		var object unstructured.Unstructured
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, object)
	}
}
