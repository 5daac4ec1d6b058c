// SPDX-License-Identifier: Apache-2.0

package chartrepo

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Chart is one version of a chart.
type Chart struct {
	Name, Version string
	// Files is the content by path within the chart. A Chart.yaml is added if Files contains none.
	Files map[string]string
	// Links are symbolic links, from path to target. Raw are further files, whose names are used
	// unchanged.
	Links, Raw map[string]string
}

// Pack returns the archive of a chart. The same chart results in the same bytes.
func Pack(chart Chart) ([]byte, error) {
	files := map[string]string{
		chart.Name + "/Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", chart.Name, chart.Version),
	}
	for name, content := range chart.Files {
		files[chart.Name+"/"+name] = content
	}
	maps.Copy(files, chart.Raw)
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := io.WriteString(archive, files[name]); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(chart.Links)) {
		header := &tar.Header{Name: chart.Name + "/" + name, Linkname: chart.Links[name], Mode: 0o777, Typeflag: tar.TypeSymlink}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
