// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// goneLimit is the maximum time for a namespace to disappear after its deletion, or after the
// Roadstead server is available again.
const goneLimit = 30 * time.Second

func deleteNamespace(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), name, metav1.DeleteOptions{}))
}

func awaitNamespaceGone(t *testing.T, name string) {
	t.Helper()
	framework.AwaitFor(t, goneLimit, "the end of namespace "+name, func() error {
		namespace, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, fmt.Errorf("still there: %+v", namespace.Status.Conditions))
	})
}

// TestC01NamespaceTermination verifies that a namespace with many Roadstead objects is deleted like
// any other (okd #193).
func TestC01NamespaceTermination(t *testing.T) {
	u := editor(t)
	var workers errgroup.Group
	workers.SetLimit(16)
	const objects = 200
	for i := range objects {
		k := kinds[i%len(kinds)]
		client, object := k.client(t, u), k.object(t, numbered("object", i))
		workers.Go(func() error {
			_, err := client.Create(t.Context(), object, metav1.CreateOptions{})
			return err
		})
	}
	require.NoError(t, workers.Wait())
	begin := time.Now()
	deleteNamespace(t, u.Namespace)
	awaitNamespaceGone(t, u.Namespace)
	t.Logf("a namespace with %d objects was gone after %s", objects, time.Since(begin).Round(time.Millisecond))
	for _, k := range kinds {
		answer := framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: k.path(u.Namespace)})
		require.Contains(t, string(answer.Body), `"items":[]`, k.name)
	}
}

// TestC01NamespacesWaitForOurServer verifies the deletion of a namespace during an outage of the
// Roadstead server. The cluster cannot list the remaining objects, so the namespace reports the API
// group in its conditions. Its deletion completes when the server is available again
// (kubernetes/kubernetes#66735).
func TestC01NamespacesWaitForOurServer(t *testing.T) {
	u := editor(t)
	for _, k := range kinds {
		k.create(t, u, "left")
	}
	back := outage(t)
	awaitMissed(t, apiServices(t, env))
	deleteNamespace(t, u.Namespace)
	framework.Await(t, "a condition that says why the namespace stays", func() error {
		namespace, err := env.Admin.CoreV1().Namespaces().Get(t.Context(), u.Namespace, metav1.GetOptions{})
		require.NoError(t, err, "the namespace must stay")
		for _, condition := range namespace.Status.Conditions {
			if condition.Type == corev1.NamespaceDeletionDiscoveryFailure && condition.Status == corev1.ConditionTrue {
				require.Contains(t, condition.Message, group)
				return nil
			}
		}
		return fmt.Errorf("conditions: %+v", namespace.Status.Conditions)
	})
	back()
	begin := time.Now()
	awaitNamespaceGone(t, u.Namespace)
	t.Logf("a namespace was gone %s after the server was back", time.Since(begin).Round(time.Millisecond))
}
