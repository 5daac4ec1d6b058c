// SPDX-License-Identifier: Apache-2.0

//go:build integration

package crdguard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// removal is the JSON patch that removes a field.
const removal = `[{"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color"}]`

// TestEveryWayToBreakADefinitionIsRefused verifies that breaking changes are rejected for every
// user and every request type, and that kubectl prints the reason and the instruction.
func TestEveryWayToBreakADefinitionIsRefused(t *testing.T) {
	guarded(t)
	d := create(t)
	for name, args := range map[string][]string{
		"apply":             {"apply", "-f", "-"},
		"replace":           {"replace", "-f", "-"},
		"server-side apply": {"apply", "--server-side", "--force-conflicts", "-f", "-"},
		"a try":             {"apply", "--dry-run=server", "-f", "-"},
		"a patch":           {"patch", "crd", d.name(), "--type=json", "-p", removal},
		"a patch, tried":    {"patch", "crd", d.name(), "--type=json", "-p", removal, "--dry-run=server"},
	} {
		t.Run(name, func(t *testing.T) {
			printed := refused(t, d.yaml(narrowed), args...)
			t.Log(printed)
			assert.Contains(t, printed, `The CustomResourceDefinition "`+d.name()+`" is invalid`)
			assert.Contains(t, printed, "spec.versions[v1].schema.spec.color: [CRD-")
			assert.Contains(t, printed, "kubectl annotate crd "+d.name()+" roadstead.dev/allow-change=sha256:")
			assert.True(t, strings.HasSuffix(strings.TrimSpace(printed), "--overwrite"), "the way out comes last")
			assert.True(t, hasColor(t, d), "nothing was changed")
		})
	}
}

func TestWhatIsAllowedIsExactlyThisChange(t *testing.T) {
	guarded(t)
	d := create(t)
	args := wayOut(t, refused(t, d.yaml(narrowed), "apply", "-f", "-"))
	brought := strings.Join([]string{args[3][:strings.Index(args[3], "=")], args[3][strings.Index(args[3], "=")+1:]}, ": ")

	refused(t, d.yaml(narrowed, brought), "apply", "-f", "-")
	assert.Empty(t, stored(t, d, `.metadata.annotations.roadstead\.dev/allow-change`), "an annotation that the request brings allows nothing")
	assert.True(t, hasColor(t, d))

	kubectl(t, "", args...)
	another := refused(t, d.yaml("{color: {type: string}}"), "apply", "-f", "-")
	assert.Contains(t, another, "allows a different change")
	printed := kubectl(t, d.yaml(narrowed, brought), "apply", "-f", "-")
	assert.Contains(t, printed, "annotation roadstead.dev/allow-change allows it")
	assert.False(t, hasColor(t, d))
}

// TestAllowChange_Once applies an allowed change, reverts it, and applies it again while the annotation
// is still present.
func TestAllowChange_Once(t *testing.T) {
	guarded(t)
	d := create(t)
	narrow := func(args ...string) []string {
		return append([]string{"patch", "crd", d.name(), "--type=json", "-p", removal}, args...)
	}
	args := wayOut(t, refused(t, "", narrow()...))
	assert.True(t, strings.HasSuffix(args[3], "@"+stored(t, d, ".metadata.generation")), args[3])
	kubectl(t, "", args...)
	kubectl(t, "", narrow("--dry-run=server")...)
	kubectl(t, "", narrow()...)
	kubectl(t, "", "patch", "crd", d.name(), "--type=json", "-p", strings.Replace(removal, `{"op": "remove", `,
		`{"op": "add", "value": {"type": "string"}, `, 1))

	again := refused(t, "", narrow()...)
	assert.Contains(t, again, "but the stored CRD has generation "+stored(t, d, ".metadata.generation"))
	assert.True(t, hasColor(t, d))
	kubectl(t, "", wayOut(t, again)...)
	kubectl(t, "", narrow()...)
	assert.False(t, hasColor(t, d))
}

func TestHarmlessChangesAreSilent(t *testing.T) {
	guarded(t)
	d := create(t)
	assert.NotContains(t, kubectl(t, d.yaml(extended), "apply", "-f", "-"), "Warning")
	assert.NotContains(t, kubectl(t, "", "label", "crd", d.name(), "a=b"), "Warning")

	hook := `{"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": ` +
		`{"service": {"namespace": "a", "name": "b"}, "caBundle": "%s"}}}}}`
	kubectl(t, "", "patch", "crd", d.name(), "--type=merge", "-p", strings.Replace(hook, "%s", caBundle(t), 1))
	printed := kubectl(t, "", "patch", "crd", d.name(), "--type=merge", "-p", strings.Replace(hook, "%s", caBundle(t), 1))
	assert.Contains(t, printed, "patched")
	assert.NotContains(t, printed, "no change")
	assert.NotContains(t, printed, "Warning", "who injects a CA bundle is nobody to be warned")
}

func TestWhatIsToBeReviewedIsAWarning(t *testing.T) {
	guarded(t)
	d := create(t)
	printed := kubectl(t, d.yaml(filled), "apply", "-f", "-")
	t.Log(printed)
	require.Contains(t, printed, "Warning: spec.versions[v1].schema.spec.size: [CRD-")
	for _, line := range strings.Split(printed, "\n") {
		text, ok := strings.CutPrefix(line, "Warning: ")
		if ok {
			assert.LessOrEqual(t, len([]rune(text)), 256)
		}
	}
	assert.Equal(t, "small", stored(t, d, ".spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.default"))
}

func TestAStoredVersionThatGoesIsAWarning(t *testing.T) {
	guarded(t)
	d := create(t)
	kubectl(t, d.manifest(version("v1", sized, false)+version("v2", sized, true)), "apply", "-f", "-")
	require.Equal(t, `["v1","v2"]`, stored(t, d, ".status.storedVersions"))
	kubectl(t, "", "patch", "crd", d.name(), "--subresource=status", "--type=merge", "-p", `{"status": {"storedVersions": ["v1", "v2"]}}`)
	printed := kubectl(t, "", "patch", "crd", d.name(), "--subresource=status", "--type=merge", "-p", `{"status": {"storedVersions": ["v2"]}}`)
	t.Log(printed)
	assert.Contains(t, printed, "Warning: v1 is removed from status.storedVersions of "+d.name())
	command := "kubectl get " + d.name() + " --all-namespaces -o json | kubectl replace -f -"
	assert.Contains(t, printed, command)
	assert.Equal(t, `["v2"]`, stored(t, d, ".status.storedVersions"), "it is never refused")
}
