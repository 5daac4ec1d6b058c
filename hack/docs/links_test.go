// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+\s+(.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N}\- _]`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// pages lists the Markdown files that users read.
func pages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	rules, err := filepath.Glob(filepath.Join(root, "docs", "crd-rules", "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(rules), 100)
	books, err := filepath.Glob(filepath.Join(root, runbooks, "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(books), 20)
	pages = append(append(append(pages, rules...), books...), filepath.Join(root, "README.md"))
	require.Greater(t, len(pages), 4)
	return pages
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return fence.ReplaceAllString(string(content), "")
}

// anchors returns what a link may name after #, as code hosts derive it from headings.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		slug := noSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(match[1])), "")
		found[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			target := match[1]
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			path := page
			if file != "" {
				path = filepath.Join(filepath.Dir(page), file)
			}
			_, err := os.Stat(path)
			if !assertNoError(t, err, "%s links to %s", page, target) || anchor == "" || !strings.HasSuffix(path, ".md") {
				continue
			}
			require.Truef(t, anchors(read(t, path))[anchor], "%s links to %s, but %s has no such heading", page, target, path)
		}
	}
}

func assertNoError(t *testing.T, err error, format string, args ...any) bool {
	t.Helper()
	if err != nil {
		t.Errorf(format+": %v", append(args, err)...)
	}
	return err == nil
}
