// SPDX-License-Identifier: Apache-2.0

package blocks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// leftOut are directories of a checkout that contain no pages of the project: the output of tools
// and builds, and test data.
var leftOut = []string{".git", ".cluster", ".demo", "bin", "node_modules", "out", "testdata"}

// Pages parses all Markdown pages of a checkout with their setup files, sorted by path. The error
// lists every page that cannot be parsed, every setup file that has an error, and every one without
// a page.
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
	if err := errors.Join(append(problems, err)...); err != nil {
		return pages, err // The setup file of a page that cannot be parsed would seem to have no page.
	}
	return pages, addSetUps(root, pages)
}

// addSetUps adds all setup files of a checkout to their pages.
func addSetUps(root string, pages []Page) error {
	paths, err := filepath.Glob(filepath.Join(root, setUpDir, "*.sh"))
	if err != nil {
		return err
	}
	var problems []error
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file := setUpDir + "/" + filepath.Base(path)
		var names []string
		for i := range pages {
			if setUpFile(pages[i].Name) == file {
				names = append(names, pages[i].Name)
				problems = append(problems, pages[i].addSetUp(file, string(text)))
			}
		}
		if len(names) != 1 {
			problems = append(problems, fmt.Errorf("%s:1: a set-up file must belong to one page, this one belongs to %q", file, names))
		}
	}
	return errors.Join(problems...)
}
