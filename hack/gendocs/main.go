// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"roadstead.dev/roadstead/hack/gendocs/reference"
)

// page is the generated page of the flags, below the root of the checkout.
var page = filepath.Join("docs", "configuration.md")

func main() {
	root := flag.String("root", ".", "Root of the checkout.")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// renderAll returns all pages, and the files of the chart that are generated from manifests, by
// path below the root.
func renderAll(root string) (map[string][]byte, error) {
	pages, err := renderRules()
	if err != nil {
		return nil, err
	}
	if pages[page], err = render(); err != nil {
		return nil, err
	}
	copies, err := renderMonitoring(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(pages, copies)
	if pages[chartPage], err = renderChart(root); err != nil {
		return nil, err
	}
	templates, err := renderTemplates(root)
	if err != nil {
		return nil, err
	}
	maps.Copy(pages, templates)
	kinds, err := reference.Render()
	if err != nil {
		return nil, err
	}
	maps.Copy(pages, kinds)
	return pages, nil
}

// write writes all pages, and removes those of families of rules and API groups that no longer exist.
func write(root string) error {
	pages, err := renderAll(root)
	if err != nil {
		return err
	}
	stale, err := stalePages(root, pages)
	if err != nil {
		return err
	}
	for _, file := range stale {
		if err := os.Remove(filepath.Join(root, file)); err != nil {
			return err
		}
	}
	for file, content := range pages {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, file), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stalePages lists the pages of families of rules and API groups that no longer exist.
func stalePages(root string, pages map[string][]byte) ([]string, error) {
	var stale []string
	for _, folder := range []string{rulesFolder, reference.Folder} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name := filepath.Join(folder, filepath.Base(file))
			if pages[name] == nil {
				stale = append(stale, name)
			}
		}
	}
	return stale, nil
}
