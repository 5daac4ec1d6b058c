// SPDX-License-Identifier: Apache-2.0

//go:build integration

package orphans

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/controllers/base/hold"
	"roadstead.dev/roadstead/pkg/controllers/orphans"
	"roadstead.dev/roadstead/pkg/util/storeidentity"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestRolledBackClusterDeletesNothing restores the etcd of the cluster from a backup that is older
// than some namespaces, while the store of Roadstead is not restored. No user deleted the
// namespaces.
func TestRolledBackClusterDeletesNothing(t *testing.T) {
	ensureRecord(t)
	takaro := newTakaro(t)
	running := startController(t)
	running.awaitSaid(saidWatching, 1)
	production := environment(t, takaro)
	awaitReady(t, production)
	lost := []string{production}
	for range 9 {
		namespace := env.Namespace(t)
		_, err := api(t).Domains(namespace).Create(t.Context(), unconfigured(), metav1.CreateOptions{})
		require.NoError(t, err)
		lost = append(lost, namespace)
	}
	rollBack(t, lost...)
	requireHeld := func() {
		t.Helper()
		running.awaitMetric(heldUnseen, float64(len(lost)))
		for _, namespace := range lost {
			_, deleting := objectsIn(t, namespace)
			require.Zero(t, deleting, namespace)
		}
		require.Len(t, takaro.Domains(), 1)
	}
	requireHeld()
	token := heldNow(t, install.Namespace).Token
	awaitEvent(t, install.Namespace, "NamespaceEndNotSeen", "roadstead.dev/release-hold="+token)
	running.end()
	running = startController(t)
	requireHeld()

	annotate(t, install.Namespace, "10-000000")
	awaitEvent(t, install.Namespace, "ReleaseDoesNotMatch", "roadstead.dev/release-hold="+token)
	requireHeld()

	_, err := env.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: production}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	running.awaitMetric(heldUnseen, 9)
	release(t, install.Namespace)
	for _, namespace := range lost[1:] {
		awaitEmpty(t, namespace)
	}
	running.awaitMetric(heldUnseen, 0)
	count, deleting := objectsIn(t, production)
	require.Equal(t, []int{3, 0}, []int{count, deleting}, "who creates the namespace again keeps its objects")
	require.Len(t, takaro.Domains(), 1)
}

// rollBack removes namespaces and their Secrets from the etcd of the cluster, like a restore of an
// older backup.
func rollBack(t *testing.T, names ...string) {
	t.Helper()
	etcd, err := clientv3.New(clientv3.Config{Endpoints: []string{env.Cluster.EtcdURL()}})
	require.NoError(t, err)
	defer func() { require.NoError(t, etcd.Close()) }()
	for _, name := range names {
		_, err = etcd.Delete(t.Context(), "/registry/secrets/"+name+"/", clientv3.WithPrefix())
		require.NoError(t, err)
		gone, err := etcd.Delete(t.Context(), "/registry/namespaces/"+name)
		require.NoError(t, err)
		require.EqualValues(t, 1, gone.Deleted)
	}
}

// heldNow returns the hold in the record of an installation, if there is one.
func heldNow(t *testing.T, namespace string) (found v1alpha1.Hold) {
	t.Helper()
	framework.Await(t, "the hold on the record", func() error {
		record, err := env.Admin.CoreV1().ConfigMaps(namespace).Get(t.Context(), storeidentity.ConfigMapName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		found = v1alpha1.Hold{}
		if err := json.Unmarshal([]byte(record.Annotations[orphans.HoldAnnotation]), &found); err != nil {
			return fmt.Errorf("nothing is held: %w", err)
		}
		if found.Token == "" {
			return errors.New("the hold has no token")
		}
		return nil
	})
	return found
}

// release releases the current hold.
func release(t *testing.T, namespace string) {
	t.Helper()
	annotate(t, namespace, heldNow(t, namespace).Token)
}

func annotate(t *testing.T, namespace, token string) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, hold.ReleaseAnnotation, token)
	_, err := env.Admin.CoreV1().ConfigMaps(namespace).Patch(t.Context(), storeidentity.ConfigMapName, types.MergePatchType,
		patch, metav1.PatchOptions{})
	require.NoError(t, err)
}
