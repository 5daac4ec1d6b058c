// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

func TestKubectlApply(t *testing.T) {
	t.Parallel()
	for mode, flags := range map[string][]string{
		"client side": nil,
		"server side": {"--server-side"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			u := editor(t)
			apply := func(text string) {
				u.KubectlIn(t, text, append([]string{"apply", "-f", "-"}, flags...)...)
			}
			apply(manifest("applied", "description: one", "maintenanceMode: true"))
			first := got(t, u, "applied")
			apply(manifest("applied", "description: one", "maintenanceMode: true"))
			require.Equal(t, first.ResourceVersion, got(t, u, "applied").ResourceVersion, "the same manifest again changed the object")
			require.Empty(t, u.KubectlIn(t, manifest("applied", "description: one", "maintenanceMode: true"),
				append([]string{"diff", "-f", "-"}, flags...)...))

			apply(manifest("applied", "description: two"))
			second := got(t, u, "applied")
			require.Equal(t, "two", second.Spec.Description)
			require.False(t, second.Spec.MaintenanceMode, "a field that left the manifest stayed")
			require.Equal(t, first.Generation+1, second.Generation)
			require.Equal(t, "applied", second.Spec.Name)
		})
	}
}

func TestKubectlApplyByTwoManagers(t *testing.T) {
	t.Parallel()
	u := editor(t)
	u.KubectlIn(t, manifest("shared", "description: mine"), "apply", "--server-side", "--field-manager=one", "-f", "-")
	problems := u.KubectlFails(t, manifest("shared", "description: yours"), "apply", "--server-side", "--field-manager=two", "-f", "-")
	require.Contains(t, problems, `conflict with "one": .spec.description`)
	u.KubectlIn(t, manifest("shared", "description: yours"), "apply", "--server-side", "--field-manager=two", "--force-conflicts", "-f", "-")
	require.Equal(t, "yours", got(t, u, "shared").Spec.Description)
}

func TestKubectlDiffAndDryRun(t *testing.T) {
	t.Parallel()
	u := editor(t)
	require.Contains(t, u.KubectlIn(t, manifest("dry"), "create", "--dry-run=server", "-f", "-"), "created (server dry run)")
	_, err := u.Domains().Get(t.Context(), "dry", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	before := created(t, u, newDomain("dry"))
	u.KubectlIn(t, manifest("dry", "description: changed"), "apply", "--server-side", "--dry-run=server", "-f", "-")
	u.Kubectl(t, "delete", "dom", "dry", "--dry-run=server")
	require.Equal(t, before.ResourceVersion, got(t, u, "dry").ResourceVersion)
	require.Contains(t, u.KubectlFails(t, manifest("dry", "disabled: true", "maintenanceMode: true"), "apply", "--dry-run=server",
		"-f", "-"), "spec.disabled")
	// kubectl diff prints the difference and exits with status 1 if there is one.
	u.KubectlFails(t, manifest("dry", "description: changed"), "diff", "-f", "-")
}

func TestKubectlEdit(t *testing.T) {
	t.Parallel()
	u := editor(t)
	created(t, u, newDomain("edited"))
	script := framework.File(t, "editor", "#!/bin/sh\nexec sed -i 's/deletionPolicy: Delete/deletionPolicy: Retain/' \"$1\"\n", 0o755)
	require.Contains(t, u.WithKubectlEnv("EDITOR="+script).Kubectl(t, "edit", "dom", "edited"), "edited")
	require.EqualValues(t, "Retain", got(t, u, "edited").Spec.DeletionPolicy)
}

func TestKubectlPatch(t *testing.T) {
	t.Parallel()
	u := statusWriter(t)
	created(t, u, newDomain("patched"))
	u.Kubectl(t, "patch", "dom", "patched", "--type=json", `-p=[{"op":"add","path":"/spec/description","value":"json"}]`)
	require.Equal(t, "json", got(t, u, "patched").Spec.Description)
	u.Kubectl(t, "patch", "dom", "patched", "--type=merge", `-p={"spec":{"description":"merge"}}`)
	require.Equal(t, "merge", got(t, u, "patched").Spec.Description)
	u.Kubectl(t, "patch", "dom", "patched", "--type=strategic", `-p={"spec":{"description":null}}`)
	require.Empty(t, got(t, u, "patched").Spec.Description)

	condition := func(kind, reason string) string {
		return `-p={"status":{"conditions":[{"type":"` + kind + `","status":"True","reason":"` + reason +
			`","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
	}
	for _, p := range []string{condition("Ready", "One"), condition("Synced", "Two"), condition("Ready", "Three")} {
		u.Kubectl(t, "patch", "dom", "patched", "--subresource=status", "--type=strategic", p)
	}
	reasons := u.Kubectl(t, "get", "dom", "patched", "-o", `jsonpath={range .status.conditions[*]}{.type}={.reason} {end}`)
	require.ElementsMatch(t, []string{"Ready=Three", "Synced=Two"}, strings.Fields(reasons), "conditions are merged by type")
}

func TestKubectlCreateWithGenerateName(t *testing.T) {
	t.Parallel()
	u := editor(t)
	text := strings.Replace(manifest("x"), "{name: x}", "{generateName: pr-}", 1)
	name := u.KubectlIn(t, text, "create", "-f", "-", "-o", "jsonpath={.metadata.name} {.spec.name}")
	fields := strings.Fields(name)
	require.Len(t, fields, 2)
	require.Regexp(t, `^pr-[a-z0-9]{5}$`, fields[0])
	require.Equal(t, fields[0], fields[1])
	require.Contains(t, u.KubectlIn(t, text, "create", "-f", "-", "-o", "yaml"), "generateName: pr-")
}

func TestKubectlCreateOfAnExistingName(t *testing.T) {
	t.Parallel()
	u := editor(t)
	text := manifest("twice", "externalReferenceId: twice-"+u.Namespace)
	u.KubectlIn(t, text, "create", "-f", "-")
	require.Contains(t, u.KubectlFails(t, text, "create", "-f", "-"), `domains.takaro.roadstead.dev "twice" already exists`)
}

func TestKubectlDelete(t *testing.T) {
	t.Parallel()
	u := editor(t)
	for _, name := range []string{"one", "two", "three"} {
		created(t, u, newDomain(name))
	}
	u.Kubectl(t, "delete", "dom", "one")
	_, err := u.Domains().Get(t.Context(), "one", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.Contains(t, u.KubectlFails(t, "", "get", "dom", "one"), `domains.takaro.roadstead.dev "one" not found`)
	u.Kubectl(t, "delete", "--raw", framework.DomainsPath(u.Namespace))
	list, err := u.Domains().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, list.Items)
}

func TestKubectlDeleteNamespace(t *testing.T) {
	t.Parallel()
	u := editor(t)
	for _, name := range []string{"one", "two", "three"} {
		created(t, u, newDomain(name))
	}
	_, _, err := env.Cluster.Kubectl(t.Context(), "delete", "namespace", u.Namespace, "--timeout=60s")
	require.NoError(t, err)
	left := framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: framework.DomainsPath(u.Namespace)})
	require.Equal(t, 200, left.Code)
	require.Contains(t, string(left.Body), `"items":[]`)
}
