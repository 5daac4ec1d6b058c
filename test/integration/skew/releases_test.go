// SPDX-License-Identifier: Apache-2.0

//go:build integration && slow

package skew

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/install"
)

const (
	// previous is the commit of the previous release, which has no tag: the last commit without
	// ledgers, epochs of the store and TakaroEndpoints.
	previous = "9d2de2403b0701f3a961bc4ee8e3bca37b114ff3"
	// root is the relative path of the root of the checkout.
	root = "../../.."
)

// release is one of the two releases that are installed alternately.
type release string

const (
	n1 release = "N-1"
	n  release = "N"
)

// builds are the checkouts of both releases. Each has its programs in bin.
type builds map[release]string

// manifests returns the directory of manifests of a release.
func (b builds) manifests(r release) string {
	return filepath.Join(b[r], "artifacts", "deploy", "base")
}

// build builds the programs of the previous release from git. The programs of the current release
// are in bin.
func build(t *testing.T) builds {
	t.Helper()
	source := t.TempDir()
	archive := filepath.Join(source, "source.tar")
	run(t, root, "git", "archive", "--output="+archive, previous)
	run(t, source, "tar", "-xf", archive)
	for program, pkg := range map[string]string{install.APIServer: "./cmd/apiserver", install.Controller: "./cmd/controller"} {
		run(t, source, "go", "build", "-p", "1", "-buildvcs=false", "-o", filepath.Join("bin", program), pkg)
	}
	current, err := filepath.Abs(root)
	require.NoError(t, err)
	return builds{n1: source, n: current}
}

// pair returns a directory with programs of the two releases.
func (b builds) pair(t *testing.T, server, controller release) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(b[server], "bin", install.APIServer), filepath.Join(dir, install.APIServer)))
	require.NoError(t, os.Symlink(filepath.Join(b[controller], "bin", install.Controller), filepath.Join(dir, install.Controller)))
	return dir
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
