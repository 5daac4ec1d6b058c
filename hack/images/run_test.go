// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lay writes the files of the sample's image for this machine to a directory.
func lay(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o755))
	for path, f := range unpack(t, image(t, runtime.GOARCH)) {
		path = filepath.Join(folder, path)
		if f.header.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.content, 0o600))
		require.NoError(t, os.Chmod(path, f.header.FileInfo().Mode()))
	}
	return folder
}

// inside runs the program as the image specifies. As root of this machine it runs in a chroot with
// only the image's files and as the image's user. Otherwise it runs in the directory of the files,
// and finds the image's CAs by a variable.
func inside(t *testing.T, folder, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/"+sample.name, args...)
	cmd.Env = []string{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		cmd.Dir = "/"
	} else {
		cmd.Path = filepath.Join(folder, sample.name)
		cmd.Env = []string{"SSL_CERT_FILE=" + filepath.Join(folder, certificates), "SSL_CERT_DIR=/nonexistent"}
	}
	cmd.Stdin = strings.NewReader(stdin)
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, string(output))
	return strings.TrimSpace(string(output))
}

func TestTheProgramRunsWithNothingButItsImage(t *testing.T) {
	folder := lay(t)
	assert.Equal(t, version, inside(t, folder, "", "--version"), "the stamp")
	trusted := unpack(t, image(t, runtime.GOARCH))[certificates].content
	assert.Equal(t, "true <nil>", inside(t, folder, string(trusted), "--trusted"), "Go finds the CAs of the image")
	first, _, _ := bytes.Cut(trusted, []byte("-----END"))
	assert.Equal(t, "false <nil>", inside(t, folder, string(first), "--trusted"), "and tells others from them")
	if os.Geteuid() == 0 {
		assert.Equal(t, "65532 65532", inside(t, folder, "", "--user"))
		for _, place := range []string{"/", "/etc/", "/etc/ssl/certs/"} {
			assert.Contains(t, inside(t, folder, "", "--create", place+"x"), "permission denied")
		}
	}
}

func TestTheRootCertificatesAreThoseOfTheBundle(t *testing.T) {
	text, err := rootCertificates()
	require.NoError(t, err)
	// The number of CAs that Mozilla trusts for TLS has been between 100 and 200 for many years.
	count := strings.Count(string(text), "-----BEGIN CERTIFICATE-----")
	assert.Greater(t, count, 100)
	assert.Less(t, count, 200)
	assert.Contains(t, string(text), "# CN=ISRG Root X1,")
}
