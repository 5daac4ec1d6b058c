// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// copyData copies the data directory of a stopped server.
func copyData(t *testing.T, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(data())))
}

// exchange replaces the data directory of a stopped server with another one and keeps the previous
// one.
func exchange(t *testing.T, with, keepAs string) {
	t.Helper()
	require.NoError(t, os.Rename(data(), keepAs))
	require.NoError(t, os.Rename(with, data()))
}

// makeForeign lets the server initialize a store in an empty directory while the cluster has no
// record of a store, restores the previous state, and returns the ID of the new store. It must be
// called before there is data to lose.
func makeForeign(t *testing.T, dir string) string {
	t.Helper()
	mine := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, os.Rename(data(), mine))
	known, id := record(t), env.StoreRecord(t).Anchor
	require.NoError(t, env.ForgetStore(t.Context()))
	startServer(t)
	awaitServed(t)
	other := env.StoreRecord(t).StoreID
	stopServer(t)
	require.NoError(t, env.ForgetStore(t.Context()))
	restoreRecord(t, known)
	require.NoError(t, env.SetAnchors(t.Context(), id.String()))
	exchange(t, mine, dir)
	return other
}

// record returns the ConfigMap of the record.
func record(t *testing.T) *corev1.ConfigMap {
	t.Helper()
	known, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	return known
}

// restoreRecord creates the ConfigMap from a backup.
func restoreRecord(t *testing.T, known *corev1.ConfigMap) {
	t.Helper()
	_, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: known.Name}, Data: known.Data,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// TestStore_OlderAndForeign requires that a wrong store has no lasting effect: with the right one
// the server serves again.
func TestStore_OlderAndForeign(t *testing.T) {
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
	f.requireRefused("StoreOlder", "--id="+id)

	stopServer(t)
	exchange(t, foreign, older)
	startServer(t)
	f.requireRefused("StoreForeign", "--id="+other)

	stopServer(t)
	exchange(t, newest, foreign)
	startServer(t)
	f.awaitServed()
	f.requireAlive()
}

// TestRecord_Unusable deletes or damages the record while the server does not run.
func TestRecord_Unusable(t *testing.T) {
	f := newFamily(t)
	id := env.StoreRecord(t).StoreID
	stopServer(t)
	known := record(t)
	configMaps := env.Admin.CoreV1().ConfigMaps(install.Namespace)
	require.NoError(t, configMaps.Delete(t.Context(), known.Name, metav1.DeleteOptions{}))
	startServer(t)
	f.requireRefused("RecordMissing", "--id="+id)

	restoreRecord(t, known)
	f.awaitServed()
	for state, data := range map[string]map[string]string{
		"ClusterForeign": {storeidentity.ClusterUIDKey: "another-cluster"},
		"RecordInvalid":  {storeidentity.EpochKey: "none"},
	} {
		stopServer(t)
		changed := record(t)
		intact := maps.Clone(changed.Data)
		maps.Copy(changed.Data, data)
		_, err := configMaps.Update(t.Context(), changed, metav1.UpdateOptions{})
		require.NoError(t, err)
		startServer(t)
		f.requireRefused(state, "--id="+id)
		changed = record(t)
		changed.Data = intact
		_, err = configMaps.Update(t.Context(), changed, metav1.UpdateOptions{})
		require.NoError(t, err)
		f.awaitServed()
	}
	require.Equal(t, id, env.StoreRecord(t).StoreID)
	_, err := env.Admin.AppsV1().StatefulSets(f.namespace).Get(t.Context(), "owned", metav1.GetOptions{})
	require.NoError(t, err)
}

// TestSecondServer_CopiedVolume starts a second server with a copy of the data directory while the
// first one serves.
func TestSecondServer_CopiedVolume(t *testing.T) {
	awaitServed(t)
	const name = "second"
	stopServer(t)
	copyData(t, filepath.Join(filepath.Dir(data()), name+"-etcd"))
	startServer(t)
	awaitServed(t)
	second, err := env.Roadstead.NewAPIServer(t.Context(), name, install.APIServer)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- second.StartRefusing(ctx) }()
	request := framework.Request{Path: "/apis/takaro.roadstead.dev/v1alpha1/domains"}
	framework.Await(t, "the refusal of the copy", func() error {
		answer, err := framework.Try(t.Context(), env.Direct(second.Address()), request)
		if err != nil {
			return err
		}
		return unlessContains(string(answer.Body), "StoreInUse")
	})
	require.Error(t, install.Ready(t.Context(), second.Address()), "the Service must not lead to it")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoError(t, second.Stop())
	awaitServed(t)
}

func unlessContains(text, part string) error {
	if strings.Contains(text, part) {
		return nil
	}
	return fmt.Errorf("no %s in %s", part, text)
}
