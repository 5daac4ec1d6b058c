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

// maxEntry is what an entry of an archive counts besides its content: archives of nothing but names would be endless.
const maxEntry = 512

// scanner looks through archives before Helm unpacks them.
type scanner struct {
	// left is what is left of the size, also for packed subcharts, which Helm would each grant the whole size again.
	left int64
	// refuseLinks is for archives of strangers: "helm package" never packs a link.
	refuseLinks bool
}

// scan finds names that lead out of an archive, and what is too large. It returns the links, from name to target.
func (s *scanner) scan(content io.Reader) (map[string]string, error) {
	unzipped, err := gzip.NewReader(content)
	if err != nil {
		return nil, noArchive(err)
	}
	// Headers and padding of an archive come on top of what its files hold, but are bounded, too.
	bounded := &io.LimitedReader{R: unzipped, N: s.left + MaxChart}
	links := map[string]string{}
	for files := tar.NewReader(bounded); ; {
		header, err := files.Next()
		switch {
		case bounded.N <= 0:
			return nil, chartTooLarge()
		case errors.Is(err, io.EOF):
			return links, nil
		case err != nil:
			return nil, noArchive(err)
		}
		name := strings.ReplaceAll(header.Name, `\`, "/")
		if path.IsAbs(name) || drive.MatchString(name) || slices.Contains(strings.Split(name, "/"), "..") {
			return nil, &UnsafeError{fmt.Sprintf("it is refused: the name %q in it leads out of the chart", header.Name)}
		}
		if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
			if s.refuseLinks {
				return nil, &UnsafeError{fmt.Sprintf("it is refused: %q in it is a link; pack the chart with helm package, which leaves none",
					header.Name)}
			}
			links[path.Clean(name)] = linked(header.Typeflag, path.Clean(name), header.Linkname)
		}
		if err := s.measure(name, header, files); err != nil {
			return nil, err
		}
	}
}

func noArchive(err error) error { return fmt.Errorf("it is no chart archive (.tgz): %w", err) }

// linked is the name that a link leads to; a hard link names it from the root of the archive.
func linked(flag byte, name, target string) string {
	if flag == tar.TypeLink {
		return path.Clean(target)
	}
	return path.Join(path.Dir(name), target)
}

// measure takes an entry off what is left, and looks into packed subcharts.
func (s *scanner) measure(name string, header *tar.Header, file io.Reader) error {
	if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
		header.Size = 0
	}
	if header.Size+maxEntry > s.left {
		return chartTooLarge()
	}
	if header.Size > MaxFile {
		return tooLarge(name)
	}
	s.left -= header.Size + maxEntry
	if !strings.HasSuffix(name, ".tgz") || !strings.Contains(name, "charts/") {
		return nil
	}
	packed, err := io.ReadAll(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if _, err := s.scan(bytes.NewReader(packed)); err != nil {
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
