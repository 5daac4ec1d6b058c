// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasons returns the values of all exported constants Reason… of the published API versions.
func reasons(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "pkg", "apis", "*", "v*", "*.go"))
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			value, ok := node.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(value.Names[0].Name, "Reason") || len(value.Values) != 1 {
				return true
			}
			text, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			found = append(found, text)
			return true
		})
	}
	return found
}

func TestEveryReasonIsExplained(t *testing.T) {
	explained := anchors(t, filepath.Join(root, "docs", "troubleshooting.md"))
	all := reasons(t)
	require.Greater(t, len(all), 15, "the constants were not found")
	for _, reason := range all {
		assert.Truef(t, explained[strings.ToLower(reason)], "docs/troubleshooting.md has no heading %q", reason)
	}
}
