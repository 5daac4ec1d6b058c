// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"roadstead.dev/roadstead/test/framework"
)

// large returns the manifest of a CRDSchema whose CRD has approximately size bytes of JSON. The
// descriptions of its fields are words, which can be compressed, or noise, which cannot be
// compressed to less than half.
func large(t *testing.T, name string, size int, describe func(int) string) string {
	t.Helper()
	const each = 1000
	fields := map[string]any{}
	for i := range size / (each + 60) {
		text := describe(i)
		fields[fmt.Sprintf("field%05d", i)] = map[string]any{"type": "string", "description": strings.Repeat(text, each/len(text)+1)[:each]}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "release.roadstead.dev/v1alpha1", "kind": "CRDSchema", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"definition": map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "widgets." + name + ".example.com"},
			"spec": map[string]any{
				"group": name + ".example.com", "scope": "Namespaced", "names": map[string]any{"plural": "widgets", "singular": "widget",
					"kind": "Widget", "listKind": "WidgetList"},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": fields}}}},
			},
		}},
	})
	require.NoError(t, err)
	return string(text)
}

func words(i int) string {
	return fmt.Sprintf("Field %d says how the widget is to be made, and what becomes of it. ", i)
}

func noise(i int) string {
	var text strings.Builder
	sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
	for text.Len() < 1000 {
		sum = sha256.Sum256(sum[:])
		text.WriteString(hex.EncodeToString(sum[:]))
	}
	return text.String()
}

const mebi = 1 << 20

// TestALargeDefinitionIsStored verifies that large CRDs are stored. The largest known ones have
// almost 3 MiB, twice the maximum request size of etcd.
func TestALargeDefinitionIsStored(t *testing.T) {
	t.Parallel()
	u := person(t, "roadstead:release-operator")
	for mode, flags := range map[string][]string{"client side": nil, "server side": {"--server-side"}} {
		name := env.Name("large")
		file := framework.File(t, name+".json", large(t, name, 3*mebi-200_000, words), 0o600)
		apply := append([]string{"apply", "-f", file}, flags...)
		u.Kubectl(t, apply...)
		require.Greater(t, len(field(t, u, "crdschema", name, ".spec.definition")), 5*mebi/2, mode)
		version := field(t, u, "crdschema", name, ".metadata.resourceVersion")
		u.Kubectl(t, apply...)
		require.Equal(t, version, field(t, u, "crdschema", name, ".metadata.resourceVersion"), mode)
		require.Contains(t, u.Kubectl(t, "get", "crdschemas", "--field-selector", "status.crd=widgets."+name+".example.com"), name)
		require.Less(t, len(u.Kubectl(t, "get", "crdschema", name, "-o", "jsonpath={.metadata}", "--show-managed-fields")), 10_000,
			"the managed fields do not repeat the definition")
	}
}

func TestWhatDoesNotFitIsRefusedWithItsSize(t *testing.T) {
	t.Parallel()
	u := person(t, "roadstead:release-operator")
	name := env.Name("huge")
	file := framework.File(t, name+".json", large(t, name, 4*mebi, words), 0o600)
	require.Regexp(t, `spec.definition: Invalid value: is too large: it has 4\d\d\d KiB of JSON, and may have 3072`,
		u.KubectlFails(t, "", "create", "-f", file))
	file = framework.File(t, name+"-noise.json", large(t, name, 3*mebi-200_000, noise), 0o600)
	require.Regexp(t, `spec.definition: Invalid value: does not fit into the store: its \d{4} KiB of JSON are 1\d\d\d KiB when `+
		`compressed, and the store takes 1280 KiB`, u.KubectlFails(t, "", "create", "-f", file))
}
