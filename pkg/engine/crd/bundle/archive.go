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

// MaxChart is the maximum total size of the files of a chart and of its packed subcharts, unpacked, in bytes.
const MaxChart = 100 << 20

var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// maxEntry is the size in bytes that an entry of an archive counts in addition to its content, to limit the number of entries.
const maxEntry = 512

// scanner checks archives before Helm unpacks them.
type scanner struct {
	// left is the remaining size in bytes. Packed subcharts count, too: Helm would apply its limit to
	// each of them separately.
	left int64
	// refuseLinks rejects links in archives from untrusted sources: "helm package" never packs links.
	refuseLinks bool
}

// scan returns an error for names that are outside of the archive's root and for archives that are too
// large. It returns the links of the archive, from name to target.
func (s *scanner) scan(content io.Reader) (map[string]string, error) {
	unzipped, err := gzip.NewReader(content)
	if err != nil {
		return nil, noArchive(err)
	}
	// Headers and padding count in addition to the contents of files, so their size is limited, too.
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
			return nil, &UnsafeError{fmt.Sprintf("chart rejected: the name %q is outside of the chart", header.Name)}
		}
		if header.Typeflag == tar.TypeSymlink || header.Typeflag == tar.TypeLink {
			if s.refuseLinks {
				return nil, &UnsafeError{fmt.Sprintf("chart rejected: %q is a link; pack the chart with helm package, which resolves links",
					header.Name)}
			}
			links[path.Clean(name)] = linked(header.Typeflag, path.Clean(name), header.Linkname)
		}
		if err := s.measure(name, header, files); err != nil {
			return nil, err
		}
	}
}

func noArchive(err error) error { return fmt.Errorf("not a chart archive (.tgz): %w", err) }

// linked returns the name that a link refers to. Hard links are relative to the root of the archive.
func linked(flag byte, name, target string) string {
	if flag == tar.TypeLink {
		return path.Clean(target)
	}
	return path.Join(path.Dir(name), target)
}

// measure subtracts an entry from the remaining size, and scans packed subcharts.
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

// follow replaces links by the content of the files that they refer to. "helm package" does the same when
// it packs a chart; in an archive that was packed by another tool, Helm reads a link as an empty file. So
// both forms of a chart have the same result. Links to files outside of the chart, or to missing files,
// stay empty.
func follow(files []*archive.BufferedFile, links map[string]string) {
	byName := map[string]*archive.BufferedFile{}
	for _, file := range files {
		byName[file.Name] = file
	}
	for name, target := range links {
		for range 8 { // links may refer to links
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

// inChart returns a name without the chart's own folder.
func inChart(name string) string {
	_, within, _ := strings.Cut(name, "/")
	return within
}

func sameRoot(a, b string) bool {
	rootA, _, _ := strings.Cut(a, "/")
	rootB, _, _ := strings.Cut(b, "/")
	return rootA == rootB
}
