// SPDX-License-Identifier: Apache-2.0

//go:build integration

package cluster

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func createConfigMap(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).
		Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

func hasConfigMap(t *testing.T, client kubernetes.Interface, name string) bool {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps(metav1.NamespaceDefault).Get(t.Context(), name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		require.NoError(t, err)
	}
	return err == nil
}

func TestEtcdIsCopiedAndRestored(t *testing.T) {
	original, client := up(t, Options{Minimal: true})
	createConfigMap(t, client, "before")
	saved := filepath.Join(t.TempDir(), "saved")
	require.NoError(t, original.SaveEtcd(t.Context(), saved))
	createConfigMap(t, client, "after")

	_, copied := up(t, Options{Minimal: true, EtcdData: saved})
	require.True(t, hasConfigMap(t, copied, "before"))
	require.False(t, hasConfigMap(t, copied, "after"))
	createConfigMap(t, copied, "only")
	require.False(t, hasConfigMap(t, client, "only"), "the copy is another cluster")
	uid := func(client kubernetes.Interface) any {
		found, err := client.CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
		require.NoError(t, err)
		return found.UID
	}
	require.Equal(t, uid(client), uid(copied), "both have the same objects")

	require.NoError(t, original.RestoreEtcd(t.Context(), saved))
	require.True(t, hasConfigMap(t, client, "before"))
	require.False(t, hasConfigMap(t, client, "after"))
	createConfigMap(t, client, "after")
}
