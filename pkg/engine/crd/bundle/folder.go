// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// folder collects the files below a folder.
type folder struct {
	// seen contains the real paths of files and folders that were read, because links may refer to them again.
	seen  map[string]bool
	files []string
}

// readFolder reads all YAML and JSON files below a folder, sorted, and follows links. It ignores names that
// begin with a dot, and files without the text CustomResourceDefinition: folders often contain values,
// patches and templates as well.
func readFolder(root string) (sets.Set, error) {
	walk := folder{seen: map[string]bool{}}
	if err := walk.read(root); err != nil {
		return sets.Set{}, err
	}
	set := sets.Set{Name: root}
	for _, path := range walk.files {
		file, err := os.Open(path)
		if err != nil {
			return sets.Set{}, plainly(path, err)
		}
		content, err := readAll(path, file)
		_ = file.Close()
		if err != nil {
			return sets.Set{}, err
		}
		if !bytes.Contains(content, []byte("CustomResourceDefinition")) {
			continue
		}
		found, err := decode(path, content)
		if err != nil {
			return sets.Set{}, err
		}
		set.Members = append(set.Members, found.members...)
	}
	return set, nil
}

func (f *folder) read(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return plainly(path, err)
	}
	if f.seen[real] {
		return nil
	}
	f.seen[real] = true
	entries, err := os.ReadDir(path)
	if err != nil {
		return plainly(path, err)
	}
	for _, entry := range entries { // sorted by name
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := f.entry(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) entry(path string) error {
	named := slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
	info, err := os.Stat(path)
	switch {
	case err != nil && !named && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP)):
		return nil // a dangling link, or a link to itself, that is not a manifest
	case err != nil:
		return plainly(path, err)
	case info.IsDir():
		return f.read(path)
	case !named || !info.Mode().IsRegular():
		return nil
	case info.Size() > MaxFile:
		return tooLarge(path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return plainly(path, err)
	}
	if !f.seen[real] {
		f.seen[real] = true
		f.files = append(f.files, path)
	}
	return nil
}
