// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// MaxFile is the maximum size of a file in bytes, also within a chart.
const MaxFile = 16 << 20

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Options are the options for reading a set.
type Options struct {
	// Stdin is the reader for the path "-".
	Stdin io.Reader
	// Chart are the options for rendering charts.
	Chart ChartOptions
}

// Read reads the set at a path: a YAML or JSON file, a folder of such files, "-", or a chart, which is a .tgz
// archive or a folder with a Chart.yaml. Objects other than CRDs are ignored. It returns an error if there
// is no CRD, except for charts. Errors are single lines and name the file.
func Read(ctx context.Context, path string, options Options) (sets.Set, error) {
	if IsChart(path) {
		return ReadChart(ctx, path, options.Chart)
	}
	set, err := readPlain(path, options.Stdin)
	if err != nil {
		return sets.Set{}, err
	}
	if len(set.Members) == 0 {
		return sets.Set{}, fmt.Errorf("%s: contains no CustomResourceDefinition", set.Name)
	}
	return set, set.Validate()
}

// IsChart reports whether a path is a chart: an archive, or a folder with a Chart.yaml.
func IsChart(path string) bool {
	if strings.HasSuffix(path, ".tgz") || strings.HasSuffix(path, ".tar.gz") {
		return true
	}
	_, err := os.Stat(filepath.Join(path, "Chart.yaml"))
	return path != Stdin && err == nil
}

func readPlain(path string, stdin io.Reader) (sets.Set, error) {
	if path == Stdin {
		if stdin == nil {
			return sets.Set{}, errors.New("standard input is not available")
		}
		return readStream("standard input", stdin)
	}
	info, err := os.Stat(path)
	if err != nil {
		return sets.Set{}, plainly(path, err)
	}
	if info.IsDir() {
		return readFolder(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return sets.Set{}, plainly(path, err)
	}
	defer func() { _ = file.Close() }()
	return readStream(path, file)
}

func readStream(name string, stream io.Reader) (sets.Set, error) {
	content, err := readAll(name, stream)
	if err != nil {
		return sets.Set{}, err
	}
	found, err := decode(name, content)
	return sets.Set{Name: name, Members: found.members}, err
}

// readAll reads a stream. It returns an error if the stream is larger than MaxFile.
func readAll(name string, stream io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(stream, MaxFile+1))
	if err != nil {
		return nil, plainly(name, err)
	}
	if len(content) > MaxFile {
		return nil, tooLarge(name)
	}
	return content, nil
}
