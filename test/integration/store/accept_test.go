// SPDX-License-Identifier: Apache-2.0

//go:build integration

package store

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestAcceptStore_Empty loses the volume. The environment is applied again immediately after the
// store was accepted, while the controllers may still run with caches of the lost store.
func TestAcceptStore_Empty(t *testing.T) {
	f := newFamily(t)
	lost, position := env.StoreRecord(t), listPosition(t)
	stopServer(t)
	require.NoError(t, os.RemoveAll(data()))
	startServer(t)
	message := f.requireRefused("StoreEmpty", "--id=new")

	out, err := accept(t, lost.StoreID)
	require.Error(t, err, "the id is not that of the store: %s", out)
	out = requireNotAccepted(t, message)
	require.Contains(t, out, "Domain "+f.namespace+"/arena (UID "+string(f.domain.UID)+")")
	for _, dependent := range []string{"statefulsets.apps", "configmaps"} {
		require.Contains(t, out, dependent+" "+f.namespace+"/owned")
	}
	require.Contains(t, out, "secrets "+f.namespace+"/arena-root")
	require.Contains(t, out, "--yes")
	f.requireRefused("StoreEmpty", "--id=new")

	controller := env.Roadstead.Controller().PID()
	requireAccepted(t, message)
	f.renew()
	awaitAnotherController(t, controller)
	now := env.StoreRecord(t)
	require.NotEqual(t, lost.StoreID, now.StoreID)
	require.Greater(t, now.Epoch, lost.Epoch)
	requireExpired(t, position)
	f.awaitCollected()
	f.own()
	f.rounds()
	for _, ghost := range f.ghosts {
		env.AwaitCollected(t, f.namespace, ghost)
	}
	f.ghosts = nil
	f.requireAlive()

	out, err = accept(t, storeidentity.NewStore)
	require.Error(t, err, "there is nothing to accept: %s", out)
	events, err := env.Admin.CoreV1().Events(install.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=StoreAccepted"})
	require.NoError(t, err)
	require.NotEmpty(t, events.Items)
	require.Contains(t, events.Items[0].Message, "a test")
}

// TestAcceptStore_Older restores an older copy of the volume.
func TestAcceptStore_Older(t *testing.T) {
	f := newFamily(t)
	before := env.StoreRecord(t)
	older, newest := filepath.Join(t.TempDir(), "older"), filepath.Join(t.TempDir(), "newest")
	stopServer(t)
	copyData(t, older)
	startServer(t)
	awaitServed(t)
	late, position := f.make("late"), listPosition(t)
	f.late = true
	stopServer(t)
	exchange(t, older, newest)
	startServer(t)
	message := f.requireRefused("StoreOlder", "--id="+before.StoreID)

	out := requireNotAccepted(t, message)
	require.Contains(t, out, "Domain "+f.namespace+"/late (UID "+string(late.UID)+")")
	require.Contains(t, out, "secrets "+f.namespace+"/late-root")
	require.NotContains(t, out, string(f.domain.UID), "the Domain is in the store")
	controller := env.Roadstead.Controller().PID()
	requireAccepted(t, message)
	awaitAnotherController(t, controller)
	now := env.StoreRecord(t)
	require.Equal(t, storeidentity.Anchor{StoreID: before.StoreID, Epoch: before.Epoch + 1}, now.Anchor)
	requireExpired(t, position)
	require.Equal(t, f.domain.UID, f.read("arena").UID)
	_, err := env.Admin.AppsV1().StatefulSets(f.namespace).Get(t.Context(), "owned", metav1.GetOptions{})
	require.NoError(t, err, "a dependent of a Domain in the store")
	f.make("after")
}

// listPosition returns the resourceVersion of a list, as a client stores it.
func listPosition(t *testing.T) string {
	t.Helper()
	var list v1alpha1.DomainList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/takaro.roadstead.dev/v1alpha1/domains"}).Decode(t, &list)
	return list.ResourceVersion
}

// requireExpired requires that a client that continues at a resourceVersion of the previous epoch
// must list again.
func requireExpired(t *testing.T, position string) {
	t.Helper()
	answer := framework.Do(t, env.Cluster.AdminConfig(), framework.Request{
		Path: "/apis/takaro.roadstead.dev/v1alpha1/domains?watch=true&timeoutSeconds=10&resourceVersion=" + position,
	})
	require.Contains(t, []int{http.StatusOK, http.StatusGone}, answer.Code, "%s", answer.Body)
	require.Contains(t, string(answer.Body), `"code":410`, "an event or an answer: %s", answer.Body)
}

// awaitAnotherController waits until another process of the controller is ready, because a cache
// belongs to one epoch.
func awaitAnotherController(t *testing.T, before int) {
	t.Helper()
	framework.Await(t, "a restart of the controller", func() error {
		controller := env.Roadstead.Controller()
		if controller.PID() == before {
			return fmt.Errorf("process %d still runs", before)
		}
		if !controller.Running() {
			return errors.New("it is not running")
		}
		return nil
	})
}
