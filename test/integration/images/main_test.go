// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package images runs the programs from the images that "make images" builds: with only the files
// of the image, as its user, and with a read-only root file system.
package images

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

const (
	apiServer  = install.APIServer
	controller = install.Controller
	crdCheck   = "roadstead-crdcheck"
	version    = "v0.1.0-test"
)

var (
	env *framework.Env
	// boxes is the directory with the unpacked images and the links to this test program.
	boxes string
)

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); isProgram(name) {
		err := enter(filepath.Join(filepath.Dir(os.Args[0]), "root-"+name), name, os.Args[1:])
		fmt.Fprintln(os.Stderr, "enter the image:", err)
		os.Exit(1)
	}
	framework.Main(m, &env, framework.WithBefore(unpackAll), framework.WithController(),
		framework.WithInstall(func(o *install.Options) { o.BinDir = boxes }))
}

func isProgram(name string) bool { return name == apiServer || name == controller || name == crdCheck }

// unpackAll builds and unpacks the images for the duration of the tests.
func unpackAll(_ context.Context, e *framework.Env) (err error) {
	if boxes, err = os.MkdirTemp("", "roadstead-images-"); err != nil {
		return err
	}
	e.AtStop(func() error { return os.RemoveAll(boxes) })
	return prepare()
}

// prepare builds the images for the architecture of this machine, unpacks them, and creates a link
// to this test program next to each, with the name of the program. Executing the link runs the
// program in its image.
func prepare() error {
	// Users other than root need access to this directory.
	if err := os.Chmod(boxes, 0o755); err != nil {
		return err
	}
	out := filepath.Join(boxes, "layouts")
	build := exec.Command("go", "run", "./hack/images", "--out", out, "--platforms", "linux/"+runtime.GOARCH,
		"--version", version, "--ldflags", "-s -w -X k8s.io/component-base/version.gitVersion="+version)
	build.Dir = "../../.."
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the images: %w\n%s", err, output)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range []string{apiServer, controller, crdCheck} {
		image, err := only(filepath.Join(out, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := unpack(image, filepath.Join(boxes, "root-"+name)); err != nil {
			return fmt.Errorf("unpack %s: %w", name, err)
		}
		if err := os.Symlink(self, filepath.Join(boxes, name)); err != nil {
			return err
		}
	}
	return nil
}

// only returns the image of the single platform in a layout.
func only(folder string) (v1.Image, error) {
	all, err := layout.ImageIndexFromPath(folder)
	if err != nil {
		return nil, err
	}
	manifest, err := all.IndexManifest()
	if err != nil {
		return nil, err
	}
	index, err := all.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		return nil, err
	}
	if manifest, err = index.IndexManifest(); err != nil {
		return nil, err
	}
	return index.Image(manifest.Manifests[0].Digest)
}

// unpack writes the files of an image, like a container engine. They belong to the user that runs
// the tests.
func unpack(image v1.Image, root string) error {
	stream := mutate.Extract(image)
	defer func() { _ = stream.Close() }()
	archive := tar.NewReader(stream)
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(root, header.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chmod(path, header.FileInfo().Mode())); err != nil {
			return err
		}
	}
}
