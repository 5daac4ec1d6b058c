// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"roadstead.dev/roadstead/pkg/engine/crd/sets"
)

// ReadChart reads the CRDs that a chart would install: those in the crds folders of the chart and of its
// enabled subcharts, and those that its templates render, with their Services. A chart without CRDs is not
// an error. The path is an archive or a folder; nothing is downloaded.
func ReadChart(ctx context.Context, path string, options ChartOptions) (sets.Set, error) {
	loaded, err := loadChart(path)
	if err != nil {
		return sets.Set{}, plainly(path, err)
	}
	set, err := members(ctx, loaded, options)
	if err != nil {
		return sets.Set{}, plainly(path, err)
	}
	set.Name = path
	return set, set.Validate()
}

func loadChart(path string) (*chart.Chart, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return loadFolder(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return loadArchive(file)
}

// ReadPacked is like ReadChart for a packed chart in memory that was downloaded. The name is used in
// errors. Links in the archive are rejected, too. The checks are called before the chart is rendered.
// ReadPacked returns an error of the checks, a *TooLargeError, an *UnsafeError, a *RenderError, or the
// reason why the archive is not a chart. All errors are permanent for the same archive and options.
func ReadPacked(ctx context.Context, name string, packed []byte, options ChartOptions, checks ...func(*chart.Chart) error) (sets.Set,
	error) {
	loaded, err := loadPacked(packed)
	if err != nil {
		return sets.Set{}, plainly(name, err)
	}
	for _, check := range checks {
		if err := check(loaded); err != nil {
			return sets.Set{}, plainly(name, err)
		}
	}
	set, err := members(ctx, loaded, options)
	if err != nil {
		return sets.Set{}, plainly(name, err)
	}
	set.Name = name
	return set, set.Validate()
}

// loadPacked loads a chart like ReadPacked. Rendering modifies a loaded chart, so each rendering needs its own.
func loadPacked(packed []byte) (*chart.Chart, error) {
	loaded, err := unpack(packed, &scanner{left: MaxChart, refuseLinks: true})
	if err != nil {
		return nil, oneLine(err)
	}
	if err := loaded.Validate(); err != nil {
		return nil, oneLine(err)
	}
	return loaded, nil
}

// loadArchive loads a packed chart. It rejects names outside of the chart, files above MaxFile and contents
// above MaxChart.
func loadArchive(from io.Reader) (*chart.Chart, error) {
	packed, err := io.ReadAll(io.LimitReader(from, MaxChart+1))
	if err != nil {
		return nil, err
	}
	return unpack(packed, &scanner{left: MaxChart})
}

func unpack(packed []byte, with *scanner) (*chart.Chart, error) {
	if len(packed) > MaxChart {
		return nil, &TooLargeError{fmt.Sprintf("is larger than %d MiB", MaxChart>>20)}
	}
	links, err := with.scan(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	files, err := archive.LoadArchiveFiles(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	follow(files, links)
	return loader.LoadFiles(files)
}

// loadFolder loads an unpacked chart. Helm limits its size, but not that of packed subcharts in it.
func loadFolder(path string) (*chart.Chart, error) {
	if _, err := os.Stat(filepath.Join(path, "Chart.yaml")); err != nil {
		return nil, errors.New("not a chart: Chart.yaml is missing")
	}
	packed, err := filepath.Glob(filepath.Join(path, "charts", "*.tgz"))
	if err != nil {
		return nil, err
	}
	with := &scanner{left: MaxChart}
	for _, name := range packed {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		_, err = with.scan(file)
		_ = file.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join("charts", filepath.Base(name)), err)
		}
	}
	loaded, err := loader.LoadDir(path)
	if err != nil {
		return nil, err
	}
	for _, file := range loaded.Raw {
		if len(file.Data) > MaxFile {
			return nil, tooLarge(file.Name)
		}
	}
	return loaded, nil
}

// missingSubcharts returns an error if subcharts in Chart.yaml are missing, because their CRDs would be ignored.
func missingSubcharts(loaded *chart.Chart) error {
	var missing []string
	for _, wanted := range loaded.Metadata.Dependencies {
		there := false
		for _, sub := range loaded.Dependencies() {
			there = there || sub.Name() == wanted.Name
		}
		if !there {
			missing = append(missing, wanted.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("subcharts %s of Chart.yaml are missing in charts/: run helm dependency build first", strings.Join(missing, ", "))
	}
	return nil
}
