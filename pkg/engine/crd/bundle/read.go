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

// MaxFile is the largest file that is read, in bytes, also within a chart.
const MaxFile = 16 << 20

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Options say how a set is read.
type Options struct {
	// Stdin is read for the path "-".
	Stdin io.Reader
	// Chart renders charts.
	Chart ChartOptions
}

// Read reads the set at a path: a YAML or JSON file, a folder of such files, "-", or a chart, which is an archive .tgz or a
// folder with a Chart.yaml. Everything but definitions is passed over; without a single one the set is unusable, except for
// charts, which may have none. The error is one line and names the file.
func Read(ctx context.Context, path string, options Options) (sets.Set, error) {
	if IsChart(path) {
		return ReadChart(ctx, path, options.Chart)
	}
	set, err := readPlain(path, options.Stdin)
	if err != nil {
		return sets.Set{}, err
	}
	if len(set.Members) == 0 {
		return sets.Set{}, fmt.Errorf("%s: there is no CustomResourceDefinition in it", set.Name)
	}
	return set, set.Validate()
}

// IsChart tells whether a path looks like a chart: an archive, or a folder with a Chart.yaml.
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
			return sets.Set{}, errors.New("there is no standard input")
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

// readAll reads what is not too large.
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
