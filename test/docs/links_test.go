// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/docs/blocks"
)

const root = "../.."

var (
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence = regexp.MustCompile("(?ms)^```.*?^```")
)

// pages returns the Markdown files for users and contributors: those at the root and all below
// docs.
func pages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "*.md"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 3, "README, CONTRIBUTING, SECURITY")
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return err
	}))
	require.Greater(t, len(pages), 50)
	return pages
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return fence.ReplaceAllString(string(content), "")
}

// anchors returns the valid fragments of links to a page.
func anchors(t *testing.T, file string) map[string]bool {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	page, err := blocks.Parse(file, string(content))
	require.NoError(t, err)
	return page.Anchors
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			target := match[1]
			if strings.Contains(target, "://") {
				continue
			}
			file, fragment, _ := strings.Cut(target, "#")
			path := page
			if file != "" {
				path = filepath.Join(filepath.Dir(page), file)
			}
			_, err := os.Stat(path)
			if !assertNoError(t, err, "%s links to %s", page, target) || fragment == "" || !strings.HasSuffix(path, ".md") {
				continue
			}
			require.Truef(t, anchors(t, path)[fragment], "%s links to %s, but %s has no such heading", page, target, path)
		}
	}
}

// TestEveryPageIsInTheIndex checks that every page is linked in docs/README.md or in the index of
// its directory, which must itself be linked there.
func TestEveryPageIsInTheIndex(t *testing.T) {
	docs := filepath.Join(root, "docs")
	linked := map[string]bool{}
	follow := func(index string) {
		for _, match := range link.FindAllStringSubmatch(read(t, index), -1) {
			file, _, _ := strings.Cut(match[1], "#")
			linked[filepath.Join(filepath.Dir(index), file)] = true
		}
	}
	follow(filepath.Join(docs, "README.md"))
	for _, page := range pages(t) {
		if filepath.Base(page) == "README.md" && linked[page] {
			follow(page)
		}
	}
	checked := 0
	for _, page := range pages(t) {
		if page == filepath.Join(docs, "README.md") || !strings.HasPrefix(page, docs) {
			continue
		}
		checked++
		assert.Truef(t, linked[page], "no index links to %s", page)
	}
	require.Greater(t, checked, 50)
}

func assertNoError(t *testing.T, err error, format string, args ...any) bool {
	t.Helper()
	if err != nil {
		t.Errorf(format+": %v", append(args, err)...)
	}
	return err == nil
}
