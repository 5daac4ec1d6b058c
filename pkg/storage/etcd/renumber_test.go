// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// filled creates a stopped member with some history, and returns its revision and cluster id.
func filled(t *testing.T, dir string) (revision int64, cluster uint64) {
	t.Helper()
	server, client := up(t, dir)
	for n := range 20 {
		_, err := client.Put(t.Context(), fmt.Sprintf("/key/%02d", n), "value")
		require.NoError(t, err)
	}
	answer, err := client.Delete(t.Context(), "/key/07")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	server.Stop()
	return answer.Header.Revision, answer.Header.ClusterId
}

// read starts a member, reads what filled wrote, and stops it.
func read(t *testing.T, dir string, check func(*clientv3.Client, *clientv3.GetResponse)) {
	t.Helper()
	server, client := up(t, dir)
	found, err := client.Get(t.Context(), "/key/", clientv3.WithPrefix())
	require.NoError(t, err)
	require.EqualValues(t, 19, found.Count)
	require.Equal(t, "value", string(found.Kvs[0].Value))
	check(client, found)
	require.NoError(t, client.Close())
	server.Stop()
}

func former(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "member.2*Z"))
	require.NoError(t, err)
	return found
}

func TestRenumber_KeepsDataFarAheadInANewCluster(t *testing.T) {
	dir := t.TempDir()
	before, cluster := filled(t, dir)
	for range 2 {
		require.NoError(t, Renumber(t.Context(), dir))
		var renumbered uint64
		var revision int64
		for range 2 { // the first start after it, and one from its own log
			read(t, dir, func(client *clientv3.Client, found *clientv3.GetResponse) {
				require.GreaterOrEqual(t, found.Header.Revision, before+revisionBump)
				require.NotEqual(t, cluster, found.Header.ClusterId)
				if renumbered != 0 {
					require.Equal(t, renumbered, found.Header.ClusterId)
				}
				renumbered = found.Header.ClusterId
				_, err := client.Get(t.Context(), "/key/01", clientv3.WithRev(before))
				require.ErrorIs(t, err, rpctypes.ErrCompacted, "nothing can be read at a revision of before")
				watch := <-client.Watch(t.Context(), "/key/01", clientv3.WithRev(before))
				require.NotZero(t, watch.CompactRevision, "nor watched")
				put, err := client.Put(t.Context(), "/key/01", "value")
				require.NoError(t, err)
				require.Greater(t, put.Header.Revision, found.Header.Revision)
				members, err := client.MemberList(t.Context())
				require.NoError(t, err)
				require.Len(t, members.Members, 1)
				revision = put.Header.Revision
			})
		}
		before, cluster = revision, renumbered
	}
	require.Len(t, former(t, dir), 2)

	// The replaced member is still complete.
	old := t.TempDir()
	require.NoError(t, os.Rename(former(t, dir)[0], filepath.Join(old, memberFolder)))
	read(t, old, func(_ *clientv3.Client, found *clientv3.GetResponse) {
		require.Less(t, found.Header.Revision, int64(revisionBump))
	})
}

// TestRenumber_KeepsWritesInTheLog: the database of a killed member is older than its log.
func TestRenumber_KeepsWritesInTheLog(t *testing.T) {
	dir := t.TempDir()
	filled(t, dir)
	path := databaseOf(dir, memberFolder)
	lagging, err := os.ReadFile(path)
	require.NoError(t, err)
	server, client := up(t, dir)
	_, err = client.Put(t.Context(), "/late", "acknowledged")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	server.Stop()
	require.NoError(t, os.WriteFile(path, lagging, 0o600))

	require.NoError(t, Renumber(t.Context(), dir))
	read(t, dir, func(client *clientv3.Client, _ *clientv3.GetResponse) {
		found, err := client.Get(t.Context(), "/late")
		require.NoError(t, err)
		require.Len(t, found.Kvs, 1)
		require.Equal(t, "acknowledged", string(found.Kvs[0].Value))
	})
}

// TestRenumber_InterruptedAfterEachStep: the next start serves either the old store or the new one, and a further call
// succeeds.
func TestRenumber_InterruptedAfterEachStep(t *testing.T) {
	steps := len(renumbering(t.Context(), "", time.Now()))
	for done := range steps + 1 {
		for _, next := range []string{"start", "repeat"} {
			t.Run(fmt.Sprintf("%d of %d, then %s", done, steps, next), func(t *testing.T) {
				dir := t.TempDir()
				before, cluster := filled(t, dir)
				for _, step := range renumbering(t.Context(), dir, time.Now())[:done] {
					require.NoError(t, step())
				}
				require.NoError(t, os.MkdirAll(filepath.Join(dir, partFolder, "snap"), 0o700), "the next copy had begun")
				if next == "repeat" {
					require.NoError(t, Renumber(t.Context(), dir))
				}
				away := len(former(t, dir)) > 0
				read(t, dir, func(_ *clientv3.Client, found *clientv3.GetResponse) {
					require.Equal(t, away, found.Header.Revision > before+revisionBump-1)
					require.Equal(t, away, found.Header.ClusterId != cluster)
				})
				require.NoDirExists(t, filepath.Join(dir, partFolder))
				require.NoDirExists(t, filepath.Join(dir, newFolder))
				require.Equal(t, next == "repeat" || done > 3, away)
			})
		}
	}
}

func TestRenumber_Refusals(t *testing.T) {
	empty := t.TempDir()
	require.ErrorContains(t, Renumber(t.Context(), empty), "contains no member")
	require.Empty(t, former(t, empty))

	dir := t.TempDir()
	up(t, dir)
	require.ErrorContains(t, Renumber(t.Context(), dir), "another server uses this data folder")
}
