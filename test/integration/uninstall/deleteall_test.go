// SPDX-License-Identifier: Apache-2.0

//go:build integration

package uninstall

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// TestDeleteAllLeavesNothing verifies that the uninstallation is refused while there are objects,
// reports an object whose deletion is blocked by a finalizer, can be killed and repeated, and
// finally removes everything.
func TestDeleteAllLeavesNothing(t *testing.T) {
	i := setUp(t, t.TempDir())
	requireEveryKind(t)
	env.Kubectl(t, "", "apply", "-k", filepath.Join(root, "artifacts/deploy/guard"))
	addWorkloads(t)
	server := newTakaro(t)
	namespace := environment(t, server)
	release(t)

	before := made(t)
	out := i.refused()
	for _, said := range []string{"1 Domain in 1 namespace: " + namespace, "2 MockServers in", "2 Users in", "1 Operator\n",
		"2 OperatorVersions\n", "3 CRDSchemas\n", "users.takaro.roadstead.dev " + namespace + "/alice",
		"--delete-all", "--orphan", "uninstall.objects=DeleteAll", "refused, nothing was changed: 11 objects of users"} {
		assert.Contains(t, out, said)
	}
	assert.Equal(t, before, made(t))
	env.Kubectl(t, "", "get", "apiservice/v1alpha1.takaro.roadstead.dev", "validatingwebhookconfiguration/roadstead-crdguard", "-o", "name")
	assert.Contains(t, secret(t, namespace, "takaro-admin").Finalizers, "roadstead.dev/in-use")

	const bob = "users.takaro.roadstead.dev/bob"
	env.Kubectl(t, "", "patch", bob, "-n", namespace, "--type=json", "-p",
		`[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/hold"}]`)
	out = i.refused("--delete-all", "--timeout=3s")
	assert.Contains(t, out, "domains.takaro.roadstead.dev "+namespace+"/arena DeletingUsers: waiting for 1 Users to go")
	assert.Contains(t, out, "after 3s 2 objects are still there: 1 Domain, 1 User")
	assert.Equal(t, before, made(t), "nothing of the installation is removed before the objects are")
	assert.Len(t, server.Domains(), 1)
	env.Kubectl(t, "", "patch", bob, "-n", namespace, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)

	i.killed("APIService v1alpha1.takaro.roadstead.dev: deleted", "--delete-all")
	require.NoError(t, i.Stop()) // like its pods
	out = i.prepared()
	assert.NotContains(t, out, "kept")
	assert.Empty(t, server.Domains(), "in Takaro")
	assert.Empty(t, server.Anchors(), "in Takaro")
	requireNothingHeld(t)
	assert.Empty(t, made(t))
	i.prepared("--delete-all") // a second run changes nothing
	deleteNamespace(t, namespace)
	deleteRest(t)
}

// release creates an object of each kind of the release API, including the kinds that the
// controllers create.
func release(t *testing.T) {
	t.Helper()
	const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",` +
		`"metadata":{"name":"widgets.uninstall.example.com"},` +
		`"spec":{"group":"uninstall.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget",` +
		`"listKind":"WidgetList"},` +
		`"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",` +
		`"properties":{"spec":{"type":"object","properties":{"name":{"type":"string","maxLength":100}}}}}}}]}}`
	const schema = "apiVersion: release.roadstead.dev/v1alpha1\nkind: CRDSchema\n"
	env.Kubectl(t, definition, "create", "-f", "-")
	env.Kubectl(t, "", "apply", "-f", filepath.Join(root, "artifacts/examples/release/operator.yaml"))
	env.Kubectl(t, schema+"metadata: {name: old}\nspec:\n  definition: "+definition, "create", "-f", "-")
	env.Kubectl(t, schema+"metadata:\n  name: new\n  annotations: {roadstead.dev/request-approval: nobody uses long names}\nspec:\n  "+
		"againstRef: {name: old}\n  definition: "+
		strings.Replace(definition, "100", "10", 1), "create", "-f", "-")
	// The CRDSchema is accepted, so only an account with the verb bypass can delete it.
	env.Kubectl(t, "apiVersion: release.roadstead.dev/v1alpha1\nkind: OperatorVersion\nmetadata: {name: cert-manager-0.0.1}\n"+
		"spec: {operatorRef: {name: cert-manager}, version: 0.0.1, crdSource: Manual}", "create", "-f", "-")
	env.Kubectl(t, schema+"metadata: {name: cert-manager-0.0.1.widgets.uninstall.example.com}\nspec:\n  operatorVersionRef: {name: "+
		"cert-manager-0.0.1}\n  definition: "+
		definition, "create", "-f", "-")
	for _, kind := range []string{"approvals.release.roadstead.dev", "crdsnapshots.release.roadstead.dev"} {
		framework.Await(t, "one of "+kind, func() error {
			if env.Kubectl(t, "", "get", kind, "-o", "name") == "" {
				return errors.New("there is none")
			}
			return nil
		})
	}
}

// killed runs prepare-uninstall and kills it when its output contains a text.
func (i *installation) killed(said string, args ...string) {
	i.t.Helper()
	run, out := i.begun(said, args...)
	require.NoError(i.t, run.Process.Kill())
	require.Error(i.t, run.Wait())
	require.NotContains(i.t, out.String(), "Prepared: ", "it was killed too late")
	i.t.Log(out.String(), errors.New("killed"))
}
