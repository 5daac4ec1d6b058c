// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/served"
)

// TestManifestsOfTheDocumentationAreValid checks that each manifest decodes strictly and passes the
// validation of its kind. test/integration/apiserver tests most of them in a cluster.
func TestManifestsOfTheDocumentationAreValid(t *testing.T) {
	checker, err := served.NewChecker()
	require.NoError(t, err)
	shown := map[string]int{}
	check := func(where, manifest string) {
		kinds, err := checker.Check(manifest)
		assert.NoErrorf(t, err, "%s:\n%s", where, manifest)
		for _, kind := range kinds {
			shown[kind]++
		}
	}
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, example := range Examples(string(content)) {
			check(page, example)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "artifacts", "examples", "*", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		check(file, string(content))
	}
	resources, err := served.Resources()
	require.NoError(t, err)
	for _, resource := range resources {
		assert.Positive(t, shown[resource.Kind.Kind], "no page shows a %s", resource.Kind.Kind)
	}
}
