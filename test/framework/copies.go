// SPDX-License-Identifier: Apache-2.0

//go:build integration

package framework

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/framework/install"
)

// Backup is a copy of all data of an environment at one point in time: of the etcd of the cluster
// and of Roadstead's own etcd, which must be the embedded etcd of a single API server.
type Backup struct{ dir string }

// Part is one of the two etcds of an environment.
type Part string

const (
	// Host is the etcd of the cluster.
	Host Part = "host"
	// Store is Roadstead's own etcd.
	Store Part = "store"
)

func (b Backup) of(part Part) string { return filepath.Join(b.dir, string(part)) }

// BackUp takes a backup. Roadstead's API server is stopped during the backup, so that both parts
// are consistent, and serves again when BackUp returns. The backup exists until the end of the
// test.
func (e *Env) BackUp(t *testing.T) Backup {
	t.Helper()
	b := Backup{dir: t.TempDir()}
	server := e.Roadstead.APIServer()
	require.NoError(t, server.Stop())
	require.NoError(t, os.CopyFS(b.of(Store), os.DirFS(e.Roadstead.StoreDir())))
	require.NoError(t, e.Cluster.SaveEtcd(t.Context(), b.of(Host)))
	require.NoError(t, server.Start(t.Context()))
	require.NoError(t, e.Roadstead.AwaitAvailable(t.Context()))
	return b
}

// CopyCluster restores a backup as another cluster next to the original, with the same objects,
// Secrets, UIDs and installation name, on other ports. The copy is stopped at the end of the test.
// Env.Name continues after the names of the original.
func (e *Env) CopyCluster(t *testing.T, b Backup, options ...Option) *Env {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(install.StoreDir(dir), os.DirFS(b.of(Store))))
	copied := StartFor(t, append(options, WithHost(func(o *cluster.Options) { o.EtcdData = b.of(Host) }),
		WithInstall(func(o *install.Options) { o.Dir = dir }))...)
	copied.names.Store(e.names.Load())
	return copied
}

// RollBack replaces one of the two etcds of an environment with that of an earlier backup.
//
// Host: Roadstead's programs keep running, as in a cluster whose etcd is restored. Store: the API
// server refuses the older store, and the administrator accepts it with the command from the error
// message.
func (e *Env) RollBack(t *testing.T, part Part, b Backup) {
	t.Helper()
	if part == Host {
		require.NoError(t, e.Cluster.RestoreEtcd(t.Context(), b.of(Host)))
		require.NoError(t, e.Roadstead.AwaitAvailable(t.Context()))
		return
	}
	server := e.Roadstead.APIServer()
	require.NoError(t, server.Stop())
	require.NoError(t, os.RemoveAll(e.Roadstead.StoreDir()))
	require.NoError(t, os.CopyFS(e.Roadstead.StoreDir(), os.DirFS(b.of(Store))))
	require.NoError(t, server.StartRefusing(t.Context()))
	var refusal string
	Await(t, "the refusal of the older store", func() error {
		_, problems, err := e.Cluster.Kubectl(t.Context(), "get", "domains.takaro.roadstead.dev", "-A")
		require.Error(t, err, "an older store is served")
		refusal = problems
		return unlessMatches(acceptCommand, refusal)
	})
	out, err := e.AcceptStore(t, AcceptArgs(t, refusal), "--yes")
	require.NoError(t, err, out)
	Await(t, "the accepted store is served", func() error {
		_, _, err := e.Cluster.Kubectl(t.Context(), "get", "domains.takaro.roadstead.dev", "-A")
		return err
	})
}
