// SPDX-License-Identifier: Apache-2.0

package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestALimitedProcessCannotWrite covers the fallback for systems where no file system may be
// mounted.
func TestALimitedProcessCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	// The script ignores the signal, like Go programs, which receive the error of the write
	// instead.
	script := exec.Command("/bin/bash", "-c", `trap '' XFSZ; while read -r word; do if head -c 20000 /dev/zero 2>/dev/null >"`+path+
		`"; then echo written; else echo full; fi; done`)
	in, err := script.StdinPipe()
	require.NoError(t, err)
	out, err := script.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, script.Start())
	t.Cleanup(func() { _ = in.Close(); _ = script.Wait() })
	ask := func() string {
		_, err := in.Write([]byte("go\n"))
		require.NoError(t, err)
		answer := make([]byte, 64)
		n, err := out.Read(answer)
		require.NoError(t, err)
		return string(answer[:n])
	}
	room := limit{}
	require.Equal(t, "written\n", ask())
	require.NoError(t, room.fill(script.Process.Pid))
	require.Equal(t, "full\n", ask())
	require.NoError(t, room.free(script.Process.Pid))
	require.Equal(t, "written\n", ask())
	require.NoError(t, in.Close())
	require.NoError(t, script.Wait())
	require.NoError(t, room.fill(script.Process.Pid), "what has ended needs no limit")
	require.NoError(t, room.close())
}

func TestRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	made, err := newRoom(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = made.close() })
	disk, isDisk := made.(mounted)
	if !isDisk {
		require.Contains(t, made.String(), "no file system may be mounted")
		return
	}
	require.NoError(t, disk.fill(0))
	require.ErrorIs(t, os.WriteFile(filepath.Join(dir, "more"), make([]byte, 1<<20), 0o600), unix.ENOSPC)
	require.NoError(t, disk.free(0))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more"), make([]byte, 1<<20), 0o600))
}
