// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const widgetsManifest = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  creationTimestamp: null
  annotations: {controller-gen.kubebuilder.io/version: v0.16.0}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 5}}}}}
status:
  acceptedNames: {plural: "", kind: ""}
  conditions: []
  storedVersions: []
`

// manifest returns widgetsManifest as JSON, with one text replaced by another.
func manifest(t *testing.T, old, new string) []byte {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(strings.Replace(widgetsManifest, old, new, 1)))
	require.NoError(t, err)
	return raw
}

func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		old, new string
		want     string
	}{
		"as controller-gen writes it": {"", "", ""},
		"another kind": {"kind: CustomResourceDefinition", "kind: ConfigMap",
			`must be a CustomResourceDefinition of apiVersion apiextensions.k8s.io/v1, not a "ConfigMap" of "apiextensions.k8s.io/v1"`},
		"an old version":   {"k8s.io/v1", "k8s.io/v1beta1", `not a "CustomResourceDefinition" of "apiextensions.k8s.io/v1beta1"`},
		"an unknown field": {"scope: Namespaced", "scope: Namespaced\n  preserve: true", `unknown field "spec.preserve"`},
		"another case":     {"scope: Namespaced", "Scope: Namespaced", `unknown field "spec.Scope"`},
		"an unknown keyword": {"maximum: 5", "x-max: 5",
			`unknown field "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.x-max"`},
		"another type": {"served: true", "served: 'yes'", "cannot unmarshal string into Go struct field"},
		"no name":      {"name: widgets.example.com", "namespace: x", "metadata.name is required"},
		"another name": {"name: widgets.example.com", "name: things.example.com",
			`metadata.name must be "widgets.example.com" (spec.names.plural and spec.group), not "things.example.com"`},
	} {
		t.Run(name, func(t *testing.T) {
			definition, err := Decode(manifest(t, tc.old, tc.new))
			if tc.want != "" {
				require.ErrorContains(t, err, tc.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "Widget", definition.Spec.Names.Kind)
		})
	}
}

func TestDecode_Errors(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", "7", "{", "apiVersion: v1", `{"apiVersion":7}`} {
		_, err := Decode([]byte(raw))
		require.ErrorContains(t, err, "must be", raw)
	}
	twice := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"a","group":"b"}}`
	_, err := Decode([]byte(twice))
	require.ErrorContains(t, err, `duplicate field "spec.group"`)
	faults := map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
	for _, letter := range "abcdefghijkl" {
		faults["unknown-"+string(letter)] = 1
	}
	raw, err := json.Marshal(faults)
	require.NoError(t, err)
	_, err = Decode(raw)
	require.ErrorContains(t, err, "and 2 more")
}
