// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
)

// MaxChart is how large the files of a chart and of its packed subcharts may be together, unpacked, in bytes.
const MaxChart = 100 << 20

var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// scan looks through an archive before Helm unpacks it: names that lead out of it, files that are too large, and packed
// subcharts, which Helm would each grant the whole size again. What is left of the size is in left. It returns the links,
// from name to target.
func scan(content io.Reader, left *int64) (map[string]string, error) {
	unzipped, err := gzip.NewReader(content)
	if err != nil {
		return nil, fmt.Errorf("it is no chart archive (.tgz): %w", err)
	}
	links := map[string]string{}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return links, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is no chart archive (.tgz): %w", err)
		}
		name := strings.ReplaceAll(header.Name, `\`, "/")
		if path.IsAbs(name) || drive.MatchString(name) || slices.Contains(strings.Split(name, "/"), "..") {
			return nil, fmt.Errorf("it is refused: the name %q in it leads out of the chart", header.Name)
		}
		if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
			links[path.Clean(name)] = linked(header.Typeflag, path.Clean(name), header.Linkname)
			continue
		}
		if err := measure(name, header.Size, files, left); err != nil {
			return nil, err
		}
	}
}

// linked is the name that a link leads to; a hard link names it from the root of the archive.
func linked(flag byte, name, target string) string {
	if flag == tar.TypeLink {
		return path.Clean(target)
	}
	return path.Join(path.Dir(name), target)
}

// measure takes a file off what is left, and looks into packed subcharts.
func measure(name string, size int64, file io.Reader, left *int64) error {
	if size > *left {
		return fmt.Errorf("unpacked it is larger than %d MiB", MaxChart>>20)
	}
	if size > MaxFile {
		return tooLarge(name)
	}
	*left -= size
	if !strings.HasSuffix(name, ".tgz") || !strings.Contains(name, "charts/") {
		return nil
	}
	packed, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := scan(bytes.NewReader(packed), left); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// follow puts the content of the files that links lead to in the place of the links. "helm package" does so when it packs a
// chart; in an archive that was packed otherwise Helm reads a link as an empty file. So both forms of a chart read alike.
// Links that lead out of the chart or nowhere stay empty.
func follow(files []*archive.BufferedFile, links map[string]string) {
	byName := map[string]*archive.BufferedFile{}
	for _, file := range files {
		byName[file.Name] = file
	}
	for name, target := range links {
		for range 8 { // links to links
			next, again := links[target]
			if !again {
				break
			}
			target = next
		}
		link, from := byName[inChart(name)], byName[inChart(target)]
		if link != nil && from != nil && sameRoot(name, target) {
			link.Data = from.Data
		}
	}
}

// inChart is a name without the chart's own folder.
func inChart(name string) string {
	_, within, _ := strings.Cut(name, "/")
	return within
}

func sameRoot(a, b string) bool {
	rootA, _, _ := strings.Cut(a, "/")
	rootB, _, _ := strings.Cut(b, "/")
	return rootA == rootB
}
