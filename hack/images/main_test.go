// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/stretchr/testify/require"
)

const (
	root    = "../.."
	version = "v1.2.3"
	commit  = "0123456789abcdef0123456789abcdef01234567"
	// sourceDate is in 2023.
	sourceDate = "1700000000"
)

// sample is small but is built like the real programs, whose images are run by
// test/integration/images.
var sample = program{"sample", "./hack/images/testdata/program", "Sample", "Stands for the others."}

// foreign is the other architecture, for which this machine can build but not run programs.
var foreign = map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]

// here contains the images of the sample for all read-only tests: in memory and as a layout.
var here struct {
	options options
	result  result
	layout  string
}

func TestMain(m *testing.M) {
	code, err := buildSample(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildSample(m *testing.M) (int, error) {
	folder, err := os.MkdirTemp("", "roadstead-images-test-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if here.options, err = sampleOptions(); err != nil {
		return 1, err
	}
	b, err := newBuilder(here.options, folder)
	if err != nil {
		return 1, err
	}
	if here.result, err = b.build(context.Background(), sample); err != nil {
		return 1, err
	}
	here.layout = filepath.Join(folder, "out", sample.name)
	if err := writeLayout(here.layout, version, here.result); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// sampleOptions returns options with this machine's platform first, followed by the other one.
func sampleOptions() (options, error) {
	o, err := parse([]string{
		"--root", root, "--version", version, "--revision", commit,
		"--ldflags", "-s -w -X k8s.io/component-base/version.gitVersion=" + version,
		"--platforms", "linux/" + runtime.GOARCH + ",linux/" + foreign,
	}, sourceDate)
	o.programs = []program{sample}
	return o, err
}

// image returns the sample's image for an architecture.
func image(t *testing.T, architecture string) v1.Image {
	t.Helper()
	manifest, err := here.result.index.IndexManifest()
	require.NoError(t, err)
	for _, descriptor := range manifest.Manifests {
		if descriptor.Platform.Architecture == architecture {
			found, err := here.result.index.Image(descriptor.Digest)
			require.NoError(t, err)
			return found
		}
	}
	require.Fail(t, "no image for "+architecture)
	return nil
}
