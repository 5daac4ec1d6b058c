// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestNamespace_Reinstalled deletes the namespace of the installation and installs Roadstead again.
// The APIServices remain, as they do when only the namespace is deleted. It is the last test
// because it starts another epoch.
func TestNamespace_Reinstalled(t *testing.T) {
	all := replicas(2)
	awaitServed(t, all)
	record, seeds := env.StoreRecord(t), encryptionSeeds(t)
	t.Cleanup(func() { redirect(stores.right, all) })
	w := observe(t, all)
	w.awaitRound()
	require.NoError(t, stop(all))
	removeNamespace(t)
	require.NoError(t, env.Roadstead.Reinstall(t.Context()))

	t.Run("without its data", func(t *testing.T) {
		redirect(stores.empty, all)
		for _, one := range all {
			require.NoError(t, one.StartRefusing(t.Context()))
			awaitRefused(t, one, "RecordMissing")
		}
		requireCollectorWaits(t)
		requireNothingBegun(t)
	})
	t.Run("with its data", func(t *testing.T) {
		redirect(stores.right, all)
		message := awaitMessage(t, all, record.StoreID)
		requireCollectorWaits(t)
		restoreSeeds(t, seeds)
		acceptStore(t, framework.AcceptArgs(t, message))
		awaitServed(t, all)
		record.Epoch++
		requireSameTimeline(t, record.Anchor)
		requireCollectorWorks(t)
		w.awaitRound()
	})
	w.end()
}

// removeNamespace deletes the namespace of the installation with everything in it. The cluster
// cannot complete the deletion while the servers are stopped, because it cannot list Roadstead's
// kinds.
func removeNamespace(t *testing.T) {
	t.Helper()
	_, _, err := env.Cluster.Kubectl(t.Context(), "delete", "-n", install.Namespace, "--all", "--wait=false",
		"configmaps,secrets,leases,serviceaccounts,roles,rolebindings,services")
	require.NoError(t, err)
	namespaces := env.Admin.CoreV1().Namespaces()
	found, err := namespaces.Get(t.Context(), install.Namespace, metav1.GetOptions{})
	require.NoError(t, err)
	found.Spec.Finalizers = nil
	_, err = namespaces.Finalize(t.Context(), found, metav1.UpdateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the deletion of namespace "+install.Namespace, func() error {
		err := namespaces.Delete(t.Context(), install.Namespace, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it still exists: %w", err)
	})
}

// requireNothingBegun requires that no server initialized the empty store.
func requireNothingBegun(t *testing.T) {
	t.Helper()
	count, err := keys(t.Context(), stores.empty)
	require.NoError(t, err)
	require.Zero(t, count, "the empty store was written to")
	_, err = env.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "a record: %v", err)
	_, err = env.Admin.CoreV1().Secrets(install.Namespace).Get(t.Context(), encryptionSecret, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "seeds: %v", err)
}

// awaitMessage waits until all servers refuse the store with an ID because of the missing record,
// and returns the last message.
func awaitMessage(t *testing.T, all []replica, id string) (message string) {
	t.Helper()
	framework.Await(t, "the refusal of store "+id, func() error {
		for _, one := range all {
			var err error
			if message, err = refusal(t.Context(), one, "RecordMissing"); err != nil {
				return err
			}
			if !strings.Contains(message, "--id="+id) {
				return fmt.Errorf("%s answers %s", one.Name(), message)
			}
		}
		return nil
	})
	return message
}

// restoreSeeds restores the Secret from a backup.
func restoreSeeds(t *testing.T, seeds string) {
	t.Helper()
	_, err := env.Admin.CoreV1().Secrets(install.Namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: encryptionSecret}, Data: map[string][]byte{encryptionKey: []byte(seeds)},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// acceptStore runs the command in an error message. --yes is needed only if objects have owners
// that do not exist.
func acceptStore(t *testing.T, args []string) {
	t.Helper()
	ghost := env.Ghost(t, namespace)
	out := tryAccept(t, args)
	require.Contains(t, out, ghost)
	require.Contains(t, out, "add --yes")
	for _, owner := range truth {
		require.NotContains(t, out, string(owner), "a Domain in the store is reported missing")
	}
	requireDependents(t)
	out = tryAccept(t, args, "--yes")
	require.Positive(t, events(t, "StoreAccepted"), out)
}

// tryAccept retries the command until the aggregation layer reaches a server, and returns the
// output.
func tryAccept(t *testing.T, args []string, more ...string) (out string) {
	t.Helper()
	framework.Await(t, "the aggregation layer to lead to a server", func() error {
		var err error
		if out, err = env.AcceptStore(t, args, more...); err != nil && strings.Contains(out, "currently unable to handle the request") {
			return err
		}
		return nil
	})
	return out
}

// requireSameTimeline requires that the record and the anchors name the same epoch.
func requireSameTimeline(t *testing.T, want storeidentity.Anchor) {
	t.Helper()
	require.Equal(t, want, env.StoreRecord(t).Anchor)
	framework.Await(t, "the anchors", func() error {
		anchors, err := env.Anchors(t.Context())
		for name, anchor := range anchors {
			if anchor != want.String() {
				return fmt.Errorf("that of %s is %q", name, anchor)
			}
		}
		return err
	})
}
