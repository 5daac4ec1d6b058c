// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// TestStripFinalizersWithoutAServer verifies the uninstallation after the server was permanently
// removed: a namespace that is stuck in Terminating is deleted, and the stored objects are kept.
func TestStripFinalizersWithoutAServer(t *testing.T) {
	dir := t.TempDir()
	i := setUp(t, dir)
	addWorkloads(t)
	server := newTakaro(t)
	namespace, other := environment(t, server), environment(t, server)
	awaitCollector(t)
	require.NoError(t, i.Controller().Kill())
	require.NoError(t, i.APIServer().Kill())
	require.NoError(t, env.Admin.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}))

	for _, flag := range []string{"--delete-all=false", "--delete-all", "--orphan"} {
		out := i.refused(flag, "--timeout=1s")
		assert.Contains(t, out, "refused, nothing was changed: it is not known whether objects are stored, since the server does not answer")
		assert.Contains(t, out, "--strip-finalizers")
	}
	before := made(t)
	out := i.prepared("--strip-finalizers")
	assert.Contains(t, out, "what is stored keeps its finalizers")
	for _, kept := range []string{"PersistentVolumeClaim roadstead-system/data-roadstead-apiserver-0: kept",
		"Secret roadstead-system/roadstead-encryption: kept",
		"Secret roadstead-system/roadstead-takaro-seed: kept", "ConfigMap roadstead-system/roadstead-store-identity: kept"} {
		assert.Contains(t, out, kept)
	}
	requireNothingHeld(t)
	awaitNoNamespace(t, namespace)
	var want []string
	for _, name := range before {
		if name != "secret/roadstead-serving" {
			want = append(want, name)
		}
	}
	assert.ElementsMatch(t, append(want, "configmap/roadstead-uninstall"), made(t))
	i.prepared() // like a Helm hook, which runs after the manual steps

	// With the kept data, a new installation has the objects again.
	again := setUp(t, dir)
	assert.Len(t, strings.Fields(env.Kubectl(t, "", "get", allKinds, "-n", other, "-o", "name")), 5)
	// The deletion of the other namespace was not observed, and its token was deleted with it. A
	// user releases the objects in Takaro with the commands in the conditions.
	for _, waits := range []string{"domains.takaro.roadstead.dev/arena", "users.takaro.roadstead.dev/alice",
		"users.takaro.roadstead.dev/bob"} {
		env.Kubectl(t, "", "patch", waits, "-n", namespace, "--type=merge", "-p", `{"spec":{"deletionPolicy":"Retain"}}`)
	}
	again.prepared("--delete-all")
	assert.Len(t, server.Domains(), 1, "that of the namespace which went with its token; takaro-sweep finds it")
	deleteNamespace(t, other)
}

// awaitCollector returns when the garbage collector watches Roadstead's kinds, at most 30 seconds
// after they are available. Until then it queries each owner repeatedly. In a cluster that has just
// lost the API, it would interpret the response as the deletion of the owner.
func awaitCollector(t *testing.T) {
	t.Helper()
	env.Kubectl(t, "apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: probe}\nspec: {takaroApiUrl: "+
		"https://api.takaro.test}\n", "create", "-n", "default", "-f", "-")
	env.Kubectl(t, "", "delete", "domains.takaro.roadstead.dev", "probe", "-n", "default", "--cascade=orphan", "--wait=false")
	framework.Await(t, "the garbage collector lets go of a Domain", func() error {
		if env.Kubectl(t, "", "get", "domains.takaro.roadstead.dev", "-n", "default", "-o", "name") != "" {
			return errors.New("it is still there")
		}
		return nil
	})
}
