// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkout returns a directory with files.
func checkout(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, path), []byte(text), 0o600))
	}
	return root
}

func TestPagesOfACheckout(t *testing.T) {
	root := checkout(t, map[string]string{
		"README.md": "", "docs/a.md": "# A\n```sh\na\n```\n", "bin/b.md": "```", "test/x/testdata/c.md": "```", "docs/d.txt": "```",
		"test/integration/docs/a.sh": "# before #a 1\nb\n", "test/integration/docs/README.sh": "",
	})
	pages, err := Pages(root)
	require.NoError(t, err)
	require.Len(t, pages, 2)
	assert.Equal(t, []string{"README.md", "docs/a.md"}, []string{pages[0].Name, pages[1].Name})
	assert.False(t, pages[0].Runs())
	assert.True(t, pages[1].Runs())
	require.Len(t, pages[1].Blocks, 2)
	assert.Equal(t, "b\n", pages[1].Blocks[0].Text)
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "e.md"), []byte("```"), 0o600))
	_, err = Pages(root)
	require.ErrorContains(t, err, "docs/e.md:1: ")
}

func TestPages_SetUpErrors(t *testing.T) {
	root := checkout(t, map[string]string{
		"docs/a.md": "# A\n", "docs/b/c.md": "", "docs/b-c.md": "",
		"test/integration/docs/a.sh":   "\n# before #a 1\nb\n",
		"test/integration/docs/b-c.sh": "",
		"test/integration/docs/d.sh":   "",
	})
	_, err := Pages(root)
	for _, problem := range []string{
		"test/integration/docs/a.sh:2: docs/a.md has no command block 1 below #a, only 0",
		`test/integration/docs/b-c.sh:1: a set-up file must belong to one page, this one belongs to ["docs/b/c.md" "docs/b-c.md"]`,
		"test/integration/docs/d.sh:1: a set-up file must belong to one page, this one belongs to []",
	} {
		require.ErrorContains(t, err, problem)
	}
}
