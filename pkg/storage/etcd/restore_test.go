// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// snapshot writes a snapshot of a member and returns its path.
func snapshot(t *testing.T, client *clientv3.Client) string {
	t.Helper()
	answer, err := client.SnapshotWithVersion(t.Context())
	require.NoError(t, err)
	content, err := io.ReadAll(answer.Snapshot)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "snapshot")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

func TestRestoreGivesTheSnapshotsDataFarAhead(t *testing.T) {
	_, client := up(t, t.TempDir())
	for n := range 20 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/key/%d", n), "value")
		require.NoError(t, err)
	}
	deleted, err := client.Delete(t.Context(), "/key/7")
	require.NoError(t, err)
	before := deleted.Header.Revision
	file := snapshot(t, client)
	_, err = client.Put(t.Context(), "/key/0", "after the snapshot")
	require.NoError(t, err)

	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, partFolder), 0o700), "a killed call leaves it")
	require.NoError(t, Restore(t.Context(), file, dir))
	for range 2 { // the first start after it, and one from its own log
		server, restored := up(t, dir)
		found, err := restored.Get(t.Context(), "/key/", clientv3.WithPrefix())
		require.NoError(t, err)
		require.EqualValues(t, 19, found.Count)
		require.Equal(t, "value", string(found.Kvs[0].Value))
		require.GreaterOrEqual(t, found.Header.Revision, before+revisionBump)
		_, err = restored.Get(t.Context(), "/key/1", clientv3.WithRev(before))
		require.ErrorIs(t, err, rpctypes.ErrCompacted, "nothing can be read at a revision of before")
		watch := <-restored.Watch(t.Context(), "/key/1", clientv3.WithRev(before))
		require.NotZero(t, watch.CompactRevision, "nor watched")
		put, err := restored.Put(t.Context(), "/key/1", "new")
		require.NoError(t, err)
		require.Greater(t, put.Header.Revision, found.Header.Revision)
		_, err = restored.Put(t.Context(), "/key/1", "value")
		require.NoError(t, err)
		members, err := restored.MemberList(t.Context())
		require.NoError(t, err)
		require.Len(t, members.Members, 1)
		require.NoError(t, restored.Close())
		server.Stop()
	}
}

func TestWhatIsNotRestored(t *testing.T) {
	_, client := up(t, t.TempDir())
	_, err := client.Put(t.Context(), "/a", "b")
	require.NoError(t, err)
	file := snapshot(t, client)

	used := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(used, "something"), nil, 0o600))
	require.ErrorContains(t, Restore(t.Context(), file, used), "is not empty")
	require.FileExists(t, filepath.Join(used, "something"))

	content, err := os.ReadFile(file)
	require.NoError(t, err)
	write := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "broken")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	flipped := append([]byte{}, content...)
	flipped[len(flipped)/2] ^= 1
	dir := filepath.Join(t.TempDir(), "data")
	require.ErrorContains(t, Restore(t.Context(), write(flipped), dir), "its checksum is wrong")
	require.ErrorContains(t, Restore(t.Context(), write(content[:len(content)-100]), dir), "is incomplete")
	require.ErrorContains(t, Restore(t.Context(), write(nil), dir), "is incomplete")
	require.ErrorIs(t, Restore(t.Context(), filepath.Join(dir, "none"), dir), os.ErrNotExist)
	ended, end := context.WithCancelCause(t.Context())
	cause := errors.New("the command was interrupted")
	end(cause)
	require.ErrorIs(t, Restore(ended, file, dir), cause)
	require.NoError(t, Restore(t.Context(), file, dir), "after all that the folder is empty still")
}

func TestSnapshotValues_AreTheCurrentOnes(t *testing.T) {
	_, client := up(t, t.TempDir())
	for key, values := range map[string][]string{"/changed": {"old", "new"}, "/deleted": {"value", ""}, "/again": {"value", "", "value"}} {
		for _, value := range values {
			var err error
			if value == "" {
				_, err = client.Delete(t.Context(), key)
			} else {
				_, err = client.Put(t.Context(), key, value)
			}
			require.NoError(t, err)
		}
	}
	file := snapshot(t, client)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	values, err := SnapshotValues(file, "/changed", "/deleted", "/again", "/none")
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{"/changed": []byte("new"), "/again": []byte("value")}, values)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after, "the file is as it was")

	before[len(before)/2] ^= 1
	require.NoError(t, os.WriteFile(file, before, 0o600))
	_, err = SnapshotValues(file, "/changed")
	require.ErrorContains(t, err, "its checksum is wrong")
}

func TestTheAddressOfARunningMember(t *testing.T) {
	dir := t.TempDir()
	_, err := Running(dir)
	require.ErrorContains(t, err, "no server is running with data folder")
	server, _ := up(t, dir)
	address, err := Running(dir)
	require.NoError(t, err)
	require.Equal(t, server.Endpoint(), address)
	info, err := os.Stat(filepath.Join(dir, addressFile))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	server.Stop()
	_, err = Running(dir)
	require.ErrorContains(t, err, "no server is running")
	require.NoError(t, publish(dir, address))
	_, err = Running(dir)
	require.ErrorContains(t, err, "has stopped", "a server that was killed leaves its address")
}
