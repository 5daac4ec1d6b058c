// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"

	"roadstead.dev/roadstead/test/framework"
)

func TestAnOperatorVersionIsNamedAfterItsVersion(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("named")
	wrong := object("OperatorVersion", "latest", "operatorRef: {name: "+name+"}", "version: v1.15.0-RC.1+Build.5")
	require.Contains(t, u.KubectlFails(t, wrong, "apply", "-f", "-"), `metadata.name: Invalid value: "latest": must be "`+
		name+`-v1.15.0-rc.1-build.5"`)
	right := strings.Replace(wrong, "latest", name+"-v1.15.0-rc.1-build.5", 1)
	_, warnings := u.KubectlSaid(t, right, "apply", "-f", "-")
	require.Contains(t, warnings, `Warning: spec.operatorRef.name: Operator "`+name+`" does not exist`)
	_, warnings = u.KubectlSaid(t, right, "apply", "-f", "-")
	require.NotContains(t, warnings, "does not exist", "said once is enough")
	require.Equal(t, "Chart v1.15.0-RC.1+Build.5", field(t, u, "opv", name+"-v1.15.0-rc.1-build.5",
		".spec.crdSource}{' '}{.spec.chartVersion"))
	require.Contains(t, u.KubectlFails(t, object("OperatorVersion", "x", "operatorRef: {name: x}", "version: '1.5'",
		"migrationGuide: 'ftp://a'"), "apply", "-f", "-"),
		"spec.version: Invalid value: \"1.5\": must be a semantic version")
	for path, patch := range map[string]string{
		"spec.version": `{"spec":{"version":"v2.0.0"}}`, "spec.crdSource": `{"spec":{"crdSource":"Manual"}}`,
		"spec.operatorRef":  `{"spec":{"operatorRef":{"name":"other"}}}`,
		"spec.chartVersion": `{"spec":{"chartVersion":"1.0.0"}}`, "spec.migrationGuide": `{"spec":{"migrationGuide":"https://example.com"}}`,
	} {
		assert.Regexp(t, path+`[\w.]*: Invalid value: .*immutable`, u.KubectlFails(t, "", "patch", "opv", name+"-v1.15.0-rc.1-build.5",
			"--type=merge", "-p", patch))
	}
}

// TestWhoMadeItIsRecordedForGood verifies that the recorded requester is immutable, because a
// requester must not approve the change.
func TestWhoMadeItIsRecordedForGood(t *testing.T) {
	t.Parallel()
	u, name := person(t, "roadstead:release-operator"), env.Name("made")
	mayBypass(t, u)
	forged := version(name, "1.0.0") + "\n"
	forged = strings.Replace(forged, "\n---", "\nstatus: {createdBy: somebody, requestedBy: somebody, approval: Approved}\n---", 1)
	u.KubectlIn(t, forged, "create", "-f", "-")
	u.KubectlIn(t, strings.Replace(version(name, "2.0.0"), "\n---",
		"\nstatus: {createdBy: somebody, requestedBy: somebody, approval: Approved}\n---", 1), "apply", "--server-side", "-f", "-")
	u.KubectlIn(t, strings.Replace(byHand(name, env.Name("g")+".example.com", 5), "\n---",
		"\nstatus: {createdBy: somebody, requestedBy: somebody, approval: Approved}\n---", 1), "create", "-f", "-")
	writer := person(t, "roadstead:release-viewer")
	grant(t, writer, rbacv1.PolicyRule{APIGroups: []string{"release.roadstead.dev"}, Resources: []string{"operatorversions/status",
		"crdschemas/status"}, Verbs: []string{"patch", "get"}})
	for _, object := range [][2]string{{"operatorversions", name + "-1.0.0"}, {"operatorversions", name + "-2.0.0"}, {"crdschemas", name}} {
		require.Equal(t, u.Name()+" "+u.Name(), field(t, u, object[0], object[1], ".status.createdBy}{' '}{.status.requestedBy"), object)
		require.NotEqual(t, "Approved", field(t, u, object[0], object[1], ".status.approval"))
		framework.Await(t, "the right to write the status", func() error {
			return writer.TryKubectl(t, "", "patch", object[0], object[1], "--subresource=status", "--type=merge", "-p",
				`{"status":{"createdBy":"somebody","requestedBy":"somebody","approval":"Rejected"}}`)
		})
		require.Equal(t, u.Name()+" "+u.Name()+" Rejected",
			field(t, u, object[0], object[1], ".status.createdBy}{' '}{.status.requestedBy}{' '}{.status.approval"))
	}
	require.Contains(t, u.KubectlFails(t, "", "patch", "operatorversions", name+"-1.0.0", "--subresource=status", "--type=merge", "-p",
		`{"status":{"approval":"Approved"}}`), "forbidden")
	require.Equal(t, name+"-1.0.0 "+name+"-2.0.0", u.Kubectl(t, "get", "operatorversions", "--field-selector", "spec.operatorRef.name="+name,
		"-o", "jsonpath={.items[*].metadata.name}"))
	require.Contains(t, u.KubectlFails(t, "", "get", "operatorversions", "--field-selector", "spec.version=1.0.0"),
		"is not a field selector of OperatorVersion")
}
