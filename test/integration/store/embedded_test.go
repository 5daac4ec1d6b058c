// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework/install"
)

func TestBackupAndRestore(t *testing.T) {
	f := newFamily(t)
	id := env.StoreRecord(t).StoreID
	snapshot := filepath.Join(t.TempDir(), "snapshot")
	out, err := program(t, "backup", "--data-dir="+data(), "--to="+snapshot)
	require.NoError(t, err, out)
	out, err = program(t, "defrag", "--data-dir="+data())
	require.NoError(t, err, out)

	late := f.make("late")
	stopServer(t)
	out, err = program(t, "restore", "--from="+snapshot, "--data-dir="+data())
	require.Error(t, err)
	require.Contains(t, out, "is not empty")
	require.NoError(t, os.RemoveAll(data()))
	out, err = program(t, "restore", "--from="+snapshot, "--data-dir="+data())
	require.NoError(t, err, out)
	t.Logf("$ roadstead-apiserver restore ...\n%s", out)
	require.Contains(t, out, "accept-store --id="+id)
	startServer(t)
	f.late = true
	message := f.requireRefused("StoreRestored", "--id="+id)

	out = requireNotAccepted(t, message)
	require.Contains(t, out, "Domain "+f.namespace+"/late (UID "+string(late.UID)+")")
	require.Contains(t, out, "secrets "+f.namespace+"/late-root")
	require.NotContains(t, out, string(f.domain.UID), "what is in the snapshot is not missing")
	requireAccepted(t, message)
	require.Equal(t, f.domain.UID, f.read("arena").UID)
	_, err = env.Admin.AppsV1().StatefulSets(f.namespace).Get(t.Context(), "owned", metav1.GetOptions{})
	require.NoError(t, err, "what the Domain owns lives on")
	f.make("after")
}

func TestServer_RefusesDataInMemory(t *testing.T) {
	kubeconfig := filepath.Join(filepath.Dir(data()), install.APIServer+".kubeconfig")
	out, err := program(t, "--kubeconfig="+kubeconfig, "--namespace="+install.Namespace, "--bind-address=127.0.0.1", "--secure-port=0",
		"--data-dir=/dev/shm/roadstead-store-test")
	require.Error(t, err)
	require.Contains(t, out, "is in memory (tmpfs)")
	require.Contains(t, out, "--dev")
	require.NoDirExists(t, "/dev/shm/roadstead-store-test")
}
