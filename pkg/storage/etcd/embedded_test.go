// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/component-base/metrics/testutil"
)

func up(t *testing.T, dir string) (*Server, *clientv3.Client) {
	t.Helper()
	server, err := Start(t.Context(), dir, "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return server, client
}

func TestDataOutlivesTheMember(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	server, client := up(t, dir)
	_, err := client.Put(t.Context(), "/a", "b")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	server.Stop()
	require.NoDirExists(t, server.socket)

	_, client = up(t, dir)
	found, err := client.Get(t.Context(), "/a")
	require.NoError(t, err)
	require.Len(t, found.Kvs, 1)
	require.Equal(t, "b", string(found.Kvs[0].Value))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestClusterID_IsOneOfAFolder(t *testing.T) {
	dir := t.TempDir()
	server, _ := up(t, dir)
	first := server.member.Server.Cluster().ID()
	server.Stop()
	server, _ = up(t, dir)
	require.Equal(t, first, server.member.Server.Cluster().ID(), "another token does not change it")
	other, _ := up(t, t.TempDir())
	require.NotEqual(t, first, other.member.Server.Cluster().ID())
	require.NotEqual(t, config("/a", "/b").InitialClusterToken, config("/a", "/b").InitialClusterToken)
}

func TestKV_CallsTheMember(t *testing.T) {
	server, client := up(t, t.TempDir())
	direct := clientv3.NewKVFromKVClient(server.KV(), client)
	_, err := direct.Put(t.Context(), "/a", "b")
	require.NoError(t, err)
	found, err := client.Get(t.Context(), "/a")
	require.NoError(t, err)
	require.Len(t, found.Kvs, 1)
}

func TestTheQuotaIsShown(t *testing.T) {
	server, _ := up(t, t.TempDir())
	require.EqualValues(t, 2147483648, server.member.Config().QuotaBackendBytes)
	require.NoError(t, testutil.GatherAndCompare(legacyregistry.DefaultGatherer, strings.NewReader(
		"# HELP roadstead_embedded_store_quota_bytes [ALPHA] How many bytes the file of the embedded etcd may have, to compare with "+
			"apiserver_storage_size_bytes; beyond it etcd takes no writes but deletes. Missing with an etcd elsewhere.\n"+
			"# TYPE roadstead_embedded_store_quota_bytes gauge\n"+
			"roadstead_embedded_store_quota_bytes 2.147483648e+09\n"), "roadstead_embedded_store_quota_bytes"))
}

func TestFreeSpaceOfTheVolumeIsShown(t *testing.T) {
	registry := metrics.NewKubeRegistry()
	registry.CustomMustRegister(newFree(t.TempDir()))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "roadstead_embedded_store_volume_free_bytes", families[0].GetName())
	require.Positive(t, families[0].GetMetric()[0].GetGauge().GetValue())
	gone := metrics.NewKubeRegistry()
	gone.CustomMustRegister(newFree(filepath.Join(t.TempDir(), "gone")))
	families, err = gone.Gather()
	require.NoError(t, err)
	require.Empty(t, families)
}

func TestOnlySocketsOfAPrivateFolderAreOpen(t *testing.T) {
	server, _ := up(t, t.TempDir())
	info, err := os.Stat(server.socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	names, err := filepath.Glob(filepath.Join(server.socket, "*"))
	require.NoError(t, err)
	require.ElementsMatch(t, []string{filepath.Join(server.socket, "client"), filepath.Join(server.socket, "peer")}, names)
	for _, peer := range server.member.Peers {
		require.True(t, strings.HasPrefix(peer.Addr().String(), server.socket), "peers are served on %s", peer.Addr())
	}
	for _, client := range server.member.Clients {
		require.True(t, strings.HasPrefix(client.Addr().String(), server.socket), "clients are served on %s", client.Addr())
	}
}

func TestAFolderInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	up(t, dir)
	_, err := Start(t.Context(), dir, "error")
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "another server uses this data folder")
}

func TestAFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Start(t.Context(), file, "error")
	require.ErrorContains(t, err, "data folder")
}
