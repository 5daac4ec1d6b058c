// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// leftOut are folders of a checkout that hold no pages of the project: what tools and builds write, and data of tests.
var leftOut = []string{".git", ".cluster", ".demo", "bin", "node_modules", "out", "testdata"}

// Pages reads all Markdown pages of a checkout, ordered by path. The error tells of every page that cannot be read.
func Pages(root string) ([]Page, error) {
	var pages []Page
	var problems []error
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && slices.Contains(leftOut, entry.Name()) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".md") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		page, err := Parse(filepath.ToSlash(name), string(text))
		problems = append(problems, err)
		pages = append(pages, page)
		return nil
	})
	return pages, errors.Join(append(problems, err)...)
}
