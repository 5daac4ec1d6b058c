// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// largeDefinition returns a CRD with about the given number of bytes of JSON: nested objects with lists, defaults, descriptions and rules.
func largeDefinition(t testing.TB, bytes int) *apiextensionsv1.CustomResourceDefinition {
	part := func() apiextensionsv1.JSONSchemaProps {
		crd := widgets(t, `
name: {type: string, maxLength: 63, default: x}
size: {type: integer, minimum: 1, maximum: 100}
ports: {type: array, maxItems: 16, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [port], items: {type: object,
  required: [port], properties: {port: {type: integer}, protocol: {type: string, enum: [TCP, UDP], default: TCP}}}}
labels: {type: object, additionalProperties: {type: string}}
limit: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
inner: {type: object, maxProperties: 3, x-kubernetes-validations: [{rule: 'has(self.a) || has(self.b)'}],
  properties: {a: {type: string, maxLength: 9}, b: {type: string, maxLength: 9}}}`)
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		spec.Description = strings.Repeat("what it is for. ", 60)
		return spec
	}
	encoded, err := json.Marshal(part())
	require.NoError(t, err)
	crd := widgets(t, "f: {type: string}")
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	for i := range bytes / len(encoded) {
		spec.Properties[fmt.Sprintf("part%d", i)] = part()
	}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	return crd
}

func BenchmarkRefused(b *testing.B) {
	for _, kilobytes := range []int{700, 2000} {
		old := largeDefinition(b, kilobytes*1000)
		new := old.DeepCopy()
		new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"] = apiextensionsv1.JSONSchemaProps{Type: "array"}
		b.Run(fmt.Sprintf("%dKB", kilobytes), func(b *testing.B) {
			for b.Loop() {
				if len(pass1(old, new, Options{})) != 1 {
					b.Fatal("the refusal is missing")
				}
			}
		})
	}
}
