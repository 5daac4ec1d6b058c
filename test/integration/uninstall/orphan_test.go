// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// TestOrphanLeavesWhatObjectsStandFor verifies that the external objects of an environment remain,
// in Takaro and in the cluster, even when a new installation responds that their owner is not
// found.
func TestOrphanLeavesWhatObjectsStandFor(t *testing.T) {
	i := setUp(t, t.TempDir())
	server := newTakaro(t)
	namespace := environment(t, server)
	own := ownedByDomain(t, namespace, "of-a-user")
	left := strings.Fields(env.Kubectl(t, "", "get", "secrets,statefulsets,pods", "-n", namespace, "-o", "name"))
	require.Len(t, left, 1+2+2+2+2+3, "the token, Secrets of the Domain, the MockServers and the Users, two StatefulSets with three pods: %v",
		left)

	out := i.refused("--orphan", "--timeout=2s")
	assert.Contains(t, out, "a controller works: ")
	assert.Contains(t, out, "holds the Lease roadstead-system/roadstead-controller")
	assert.Len(t, strings.Fields(env.Kubectl(t, "", "get", allKinds, "-n", namespace, "-o", "name")), 5)
	requests := server.Domains()

	require.NoError(t, i.Controller().Stop())
	// As in a cluster in which no controller was ever active.
	env.Kubectl(t, "", "delete", "lease", install.Controller, "-n", install.Namespace)
	out = i.preparedFromPod("--orphan")
	assert.Contains(t, out, "Secret roadstead-system/roadstead-takaro-seed: kept")
	requireNothingHeld(t)
	require.Len(t, server.Domains(), 1)
	assert.Equal(t, requests[0].ID, server.Domains()[0].ID)
	assert.Len(t, server.Domains()[0].Users, 3, "with the root user")
	assert.Len(t, server.Domains()[0].GameServers, 3)

	// A new installation does not know the objects.
	forgetStore(t)
	again := setUp(t, t.TempDir())
	awaitCollection(t, namespace)
	assert.Equal(t, left, strings.Fields(env.Kubectl(t, "", "get", "secrets,statefulsets,pods", "-n", namespace, "-o", "name")))
	assert.Empty(t, env.Kubectl(t, "", "get", "secrets,statefulsets,configmaps", "-n", namespace, "-o",
		"jsonpath={range .items[*]}{.metadata.ownerReferences}{end}"))
	env.Kubectl(t, "", "get", "configmap", own, "-n", namespace)
	again.prepared()
	deleteNamespace(t, namespace)
	require.NoError(t, again.Stop())
	forgetStore(t)
}

// forgetStore deletes the records that bind the cluster to a store whose location is unknown, as
// the last line of the output describes.
func forgetStore(t *testing.T) {
	t.Helper()
	env.Kubectl(t, "", "delete", "-n", install.Namespace, "configmap/roadstead-store-identity", "secret/roadstead-encryption")
}

// ownedByDomain creates a ConfigMap owned by the Domain arena and returns its name.
func ownedByDomain(t *testing.T, namespace, name string) string {
	t.Helper()
	uid := env.Kubectl(t, "", "get", "domains.takaro.roadstead.dev", "arena", "-n", namespace, "-o", "jsonpath={.metadata.uid}")
	ownedMap(t, namespace, name, uid)
	return name
}

func ownedMap(t *testing.T, namespace, name, uid string) {
	t.Helper()
	env.Kubectl(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: "+name+"\n  ownerReferences:\n"+
		"  - {apiVersion: takaro.roadstead.dev/v1alpha1, kind: Domain, name: arena, uid: "+uid+"}\n", "apply", "-n", namespace, "-f", "-")
}

// awaitCollection returns when the garbage collector has deleted an object whose owner, a Domain,
// is not found.
func awaitCollection(t *testing.T, namespace string) {
	t.Helper()
	name := env.Name("collected")
	ownedMap(t, namespace, name, string(uuid.NewUUID()))
	framework.Await(t, "the garbage collector", func() error {
		_, err := env.Admin.CoreV1().ConfigMaps(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New(corev1.SchemeGroupVersion.String()+" ConfigMap is still there"))
	})
}
