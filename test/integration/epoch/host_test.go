// SPDX-License-Identifier: Apache-2.0

//go:build integration

package epoch

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"roadstead.dev/roadstead/pkg/util/keeper"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// encryptionSecret holds the seeds under encryptionKey.
const (
	encryptionSecret = "roadstead-encryption"
	encryptionKey    = "seeds"
)

// faultless observes the responses of both replicas while the records of the store in the cluster
// are lost. The returned function requires that no request failed.
func faultless(t *testing.T) (all []replica, end func()) {
	t.Helper()
	all = replicas(2)
	awaitServed(t, all)
	w := observe(t, all)
	w.awaitRound()
	return all, func() {
		t.Helper()
		w.awaitRound()
		w.endFaultless(aggregated, all[0].Name(), all[1].Name())
	}
}

func TestRecord_DeletedWhileBound(t *testing.T) {
	_, end := faultless(t)
	record, before := env.StoreRecord(t), events(t, "RecordRestored")
	configMaps := env.Admin.CoreV1().ConfigMaps(install.Namespace)
	require.NoError(t, configMaps.Delete(t.Context(), storeidentity.ConfigMapName, metav1.DeleteOptions{}))
	framework.Await(t, "the record to be restored", func() error {
		_, err := configMaps.Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
		return err
	})
	requireSameStore(t, record)
	awaitEvent(t, "RecordRestored", before)
	end()
}

func TestRecord_EditedWhileBound(t *testing.T) {
	_, end := faultless(t)
	record := env.StoreRecord(t)
	for _, edit := range []struct {
		name string
		data map[string]string
	}{
		{"invalid epoch", map[string]string{storeidentity.EpochKey: "one"}},
		{"another cluster", map[string]string{storeidentity.ClusterUIDKey: "another", storeidentity.EtcdClusterIDKey: "f00"}},
		{"ahead of the store", map[string]string{storeidentity.TickKey: "1000000", storeidentity.RevisionKey: "1000000000"}},
	} {
		editRecord(t, edit.data)
		framework.Await(t, "the record to be overwritten: "+edit.name, func() error {
			data := recordData(t).Data
			for key, value := range edit.data {
				if data[key] == value {
					return fmt.Errorf("%s is still %s", key, value)
				}
			}
			return nil
		})
		requireSameStore(t, record)
	}
	end()
}

func TestAnchor_RaisedWhileBound(t *testing.T) {
	_, end := faultless(t)
	record := env.StoreRecord(t)
	raised := record.Anchor
	raised.Epoch = 999
	require.NoError(t, env.SetAnchors(t.Context(), raised.String()))
	framework.Await(t, "the anchors to be overwritten", func() error {
		anchors, err := env.Anchors(t.Context())
		for name, anchor := range anchors {
			if anchor != record.Anchor.String() {
				return fmt.Errorf("that of %s is %s", name, anchor)
			}
		}
		return err
	})
	requireSameStore(t, record)
	end()
}

func TestSeeds_DeletedWhileTwoReplicasRun(t *testing.T) {
	all, end := faultless(t)
	seeds, before := encryptionSeeds(t), events(t, keeper.EventRestored)
	deleteSeeds(t)
	awaitSeeds(t, seeds)
	awaitEvent(t, keeper.EventRestored, before)
	end()

	// A replica that starts without the Secret must not generate another seed.
	require.NoError(t, all[1].Stop())
	deleteSeeds(t)
	require.NoError(t, all[1].Start(t.Context()))
	awaitSeeds(t, seeds)
	awaitServed(t, all)
	w := observe(t, all)
	w.awaitRound()
	w.end()
}

func recordData(t *testing.T) *corev1.ConfigMap {
	t.Helper()
	found, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
	require.NoError(t, err)
	return found
}

func editRecord(t *testing.T, data map[string]string) {
	t.Helper()
	require.NoError(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		record := recordData(t)
		maps.Copy(record.Data, data)
		_, err := env.Admin.CoreV1().ConfigMaps(install.Namespace).Update(t.Context(), record, metav1.UpdateOptions{})
		return err
	}))
}

func encryptionSeeds(t *testing.T) string {
	t.Helper()
	secret, err := env.Admin.CoreV1().Secrets(install.Namespace).Get(t.Context(), encryptionSecret, metav1.GetOptions{})
	require.NoError(t, err)
	return string(secret.Data[encryptionKey])
}

func deleteSeeds(t *testing.T) {
	t.Helper()
	require.NoError(t, env.Admin.CoreV1().Secrets(install.Namespace).Delete(t.Context(), encryptionSecret, metav1.DeleteOptions{}))
}

// awaitSeeds waits until the Secret was restored, and requires that it holds the same seeds.
func awaitSeeds(t *testing.T, seeds string) {
	t.Helper()
	framework.Await(t, "the Secret to be restored", func() error {
		_, err := env.Admin.CoreV1().Secrets(install.Namespace).Get(t.Context(), encryptionSecret, metav1.GetOptions{})
		return err
	})
	require.Equal(t, seeds, encryptionSeeds(t))
}
