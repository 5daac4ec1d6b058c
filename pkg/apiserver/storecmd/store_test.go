// SPDX-License-Identifier: Apache-2.0

package storecmd

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"roadstead.dev/roadstead/pkg/apiserver/options"
	"roadstead.dev/roadstead/pkg/storage/epoch"
	"roadstead.dev/roadstead/pkg/storage/etcd"
	"roadstead.dev/roadstead/pkg/storage/identity"
)

// run runs a subcommand and returns both outputs.
func run(t *testing.T, args ...string) (string, string, error) {
	t.Helper()
	for _, command := range Commands() {
		if command.Name() != args[0] {
			continue
		}
		var out, problems bytes.Buffer
		command.SetOut(&out)
		command.SetErr(&problems)
		command.SetArgs(args[1:])
		err := command.ExecuteContext(t.Context())
		return out.String(), problems.String(), err
	}
	t.Fatalf("no command %s", args[0])
	return "", "", nil
}

func open(t *testing.T, dir string) *clientv3.Client {
	t.Helper()
	server, err := etcd.Start(t.Context(), dir, "error")
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{server.Endpoint()}, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestBackupRestoreDefrag(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	_, _, err := run(t, "backup", "--data-dir="+dir, "--to=-")
	require.ErrorContains(t, err, "no server is running with data folder")
	client := open(t, dir)
	snapshot := filepath.Join(t.TempDir(), "snapshot")
	_, _, err = run(t, "backup", "--data-dir="+dir, "--to="+snapshot)
	require.NoError(t, err)
	_, _, err = run(t, "restore", "--from="+snapshot, "--data-dir="+filepath.Join(filepath.Dir(snapshot), "x"))
	require.ErrorContains(t, err, "does not contain a store of Roadstead")
	require.NoDirExists(t, filepath.Join(filepath.Dir(snapshot), "x"))
	_, _, err = run(t, "backup", "--data-dir="+dir, "--to="+snapshot)
	require.ErrorContains(t, err, "already exists")

	_, err = client.Put(t.Context(), options.StoragePrefix+identity.LegacyKey, "the-id")
	require.NoError(t, err)
	out, problems, err := run(t, "backup", "--data-dir="+dir, "--to=-")
	require.NoError(t, err)
	require.Contains(t, problems, "Wrote a snapshot of")
	second := filepath.Join(t.TempDir(), "second")
	require.NoError(t, os.WriteFile(second, []byte(out), 0o600))
	out, _, err = run(t, "defrag", "--data-dir="+dir)
	require.NoError(t, err)
	require.Contains(t, out, "bytes before")

	restored := filepath.Join(t.TempDir(), "restored")
	out, _, err = run(t, "restore", "--from="+second, "--data-dir="+restored)
	require.NoError(t, err)
	require.Contains(t, out, "accept-store --id=the-id")
	again := open(t, restored)
	found, err := again.Get(t.Context(), options.StoragePrefix+identity.RestoredKey)
	require.NoError(t, err)
	require.Len(t, found.Kvs, 1, "the mark")

	_, err = client.Put(t.Context(), epoch.Key(options.StoragePrefix), `{"storeID":"id-of-the-epoch","epoch":2,"nonce":"n"}`)
	require.NoError(t, err)
	third := filepath.Join(t.TempDir(), "third")
	_, _, err = run(t, "backup", "--data-dir="+dir, "--to="+third)
	require.NoError(t, err)
	id, err := storeID(third)
	require.NoError(t, err)
	require.Equal(t, "id-of-the-epoch", id)
}

func TestDefrag_FullStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	client := open(t, dir)
	members, err := client.MemberList(t.Context())
	require.NoError(t, err)
	_, err = pb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), &pb.AlarmRequest{
		Action: pb.AlarmRequest_ACTIVATE, MemberID: members.Members[0].ID, Alarm: pb.AlarmType_NOSPACE,
	})
	require.NoError(t, err)
	_, err = client.Put(t.Context(), "/a", "b")
	require.Error(t, err)
	out, _, err := run(t, "defrag", "--data-dir="+dir)
	require.NoError(t, err)
	require.Contains(t, out, "accepts writes again")
	_, err = client.Put(t.Context(), "/a", "b")
	require.NoError(t, err)
}

func TestFlagsThatAreMissing(t *testing.T) {
	for _, args := range [][]string{{"backup"}, {"restore"}, {"accept-store"}, {"accept-store", "--id=x"},
		{"backup", "--to=-", "--etcd-servers=https://127.0.0.1:1", "--etcd-certfile=/a"},
		{"defrag", "--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=/no/such/file"}} {
		_, _, err := run(t, args...)
		require.Error(t, err, "%v", args)
	}
}
