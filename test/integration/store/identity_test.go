// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/hack/local"
	"roadstead.dev/roadstead/pkg/storeidentity"
	"roadstead.dev/roadstead/test/integration/framework"
)

func TestAWipedStoreHarmsNothing(t *testing.T) {
	f := newFamily(t)
	lost := env.StoreRecord(t).StoreID
	stopServer(t)
	require.NoError(t, os.RemoveAll(data()))
	startServer(t)
	f.requireRefused("StoreEmpty", "its store is empty", lost, "--id=new")

	out, err := accept(t, lost)
	require.Error(t, err, "the id is not that of the store")
	require.Contains(t, out, "is --id that of the message")
	out, err = accept(t, storeidentity.NewStore)
	require.Error(t, err)
	t.Logf("$ roadstead-apiserver accept-store --id=new ...\n%s", out)
	require.Contains(t, out, "Domain "+f.namespace+"/arena (UID "+string(f.domain.UID)+")")
	for _, dependent := range []string{"statefulsets.apps", "configmaps"} {
		require.Contains(t, out, "    "+dependent+" "+f.namespace+"/owned")
	}
	require.Contains(t, out, "secrets "+f.namespace+"/arena-root")
	require.Contains(t, out, "give --yes too")
	f.requireRefused("StoreEmpty", "its store is empty")

	requireAccepted(t, storeidentity.NewStore)
	require.NotEqual(t, lost, env.StoreRecord(t).StoreID)
	f.awaitGone("owned")
	out, err = accept(t, storeidentity.NewStore)
	require.Error(t, err)
	require.Contains(t, out, "there is nothing to accept")
	events, err := env.Admin.CoreV1().Events(local.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=StoreAccepted"})
	require.NoError(t, err)
	require.NotEmpty(t, events.Items)
	require.Contains(t, events.Items[0].Message, "a test")
}

// copyData copies the data folder of a stopped server.
func copyData(t *testing.T, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(data())))
}

// exchange puts another data folder in the place of the server's, which it moves away.
func exchange(t *testing.T, with, away string) {
	t.Helper()
	require.NoError(t, os.Rename(data(), away))
	require.NoError(t, os.Rename(with, data()))
}

// makeForeign makes a store of another installation in a folder, where the cluster knows of none, and puts everything else
// back. It is done before there is anything to lose: a cluster whose record is gone takes an empty store for its first, so
// the garbage collector rightly believes it. It returns the id of the store.
func makeForeign(t *testing.T, dir string) string {
	t.Helper()
	mine := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.Rename(data(), mine))
	configMaps := env.Admin.CoreV1().ConfigMaps(local.Namespace)
	known, err := configMaps.Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, configMaps.Delete(t.Context(), known.Name, metav1.DeleteOptions{}))
	startServer(t)
	awaitServed(t)
	id := env.StoreRecord(t).StoreID
	stopServer(t)
	known.ResourceVersion, known.UID = "", ""
	require.NoError(t, configMaps.Delete(t.Context(), known.Name, metav1.DeleteOptions{}))
	_, err = configMaps.Create(t.Context(), known, metav1.CreateOptions{})
	require.NoError(t, err)
	exchange(t, mine, dir)
	return id
}

func TestAnOlderCopyAndAForeignStore(t *testing.T) {
	dir := t.TempDir()
	older, newest, foreign := filepath.Join(dir, "older"), filepath.Join(dir, "newest"), filepath.Join(dir, "foreign")
	stopServer(t)
	other := makeForeign(t, foreign)
	copyData(t, older)
	startServer(t)
	awaitServed(t)
	f := newFamily(t)
	id := env.StoreRecord(t).StoreID
	require.NotEqual(t, id, other)
	stopServer(t)
	exchange(t, older, newest)
	startServer(t)
	f.requireRefused("StoreOlder", id, "is an older copy", "--id="+id)
	stopServer(t)

	exchange(t, foreign, older)
	startServer(t)
	f.requireRefused("StoreForeign", "its store is "+other, id)
	stopServer(t)

	// The right one again. It was found to be older once, and only an administrator knows better.
	exchange(t, newest, foreign)
	startServer(t)
	f.requireRefused("StoreOlder", "--id="+id)
	out, err := accept(t, id)
	require.Error(t, err, "the ghosts have no owners")
	require.NotContains(t, out, string(f.domain.UID), "all that is real has its owner")
	requireAccepted(t, id)
	_, err = env.Admin.AppsV1().StatefulSets(f.namespace).Get(t.Context(), "owned", metav1.GetOptions{})
	require.NoError(t, err)
}

func TestARecordThatIsMissingOrOfAnotherCluster(t *testing.T) {
	f := newFamily(t)
	id := env.StoreRecord(t).StoreID
	configMaps := env.Admin.CoreV1().ConfigMaps(local.Namespace)
	known, err := configMaps.Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, configMaps.Delete(t.Context(), known.Name, metav1.DeleteOptions{}))
	// The running server sees it too.
	framework.Await(t, "the refusal", func() error { return unlessContains(f.server("/readyz?verbose"), "[-]store-identity failed") })
	f.requireRefused("RecordMissing", "is missing", id)
	stopServer(t)
	startServer(t)
	f.requireRefused("RecordMissing", "is missing", id)

	known.ResourceVersion, known.UID = "", ""
	rebuilt := known.DeepCopy()
	rebuilt.Data[storeidentity.ClusterUIDKey] = "another-cluster"
	rebuilt, err = configMaps.Create(t.Context(), rebuilt, metav1.CreateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the refusal", func() error {
		return unlessContains(f.server("/metrics"), `roadstead_store_identity_state{state="ClusterForeign"} 1`)
	})
	f.requireRefused("ClusterForeign", "belongs to another cluster", "another-cluster")

	rebuilt.Data = known.Data
	_, err = configMaps.Update(t.Context(), rebuilt, metav1.UpdateOptions{})
	require.NoError(t, err)
	awaitServed(t)
	require.Equal(t, id, env.StoreRecord(t).StoreID)
	_, err = env.Admin.AppsV1().StatefulSets(f.namespace).Get(t.Context(), "owned", metav1.GetOptions{})
	require.NoError(t, err)
}

func unlessContains(text, part string) error {
	if strings.Contains(text, part) {
		return nil
	}
	return os.ErrNotExist
}
