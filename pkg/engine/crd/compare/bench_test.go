// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
	"roadstead.dev/roadstead/pkg/engine/crd/versions"
)

// fleet returns a CRD whose JSON has about the given number of bytes, like one that controller-gen
// generates for a type that contains many pod specs. Every change-th field differs from the CRD for 0.
func fleet(bytes, change int) *apiextensionsv1.CustomResourceDefinition {
	fields := 0
	leaf := func() props {
		fields++
		schema := props{Type: "string", Description: strings.Repeat("What the field is for. ", 6), Pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
			MaxLength: ptr.To[int64](63)}
		if change > 0 && fields%change == 0 {
			schema.Pattern, schema.MaxLength = "^[a-z]([-a-z0-9]*[a-z0-9])?$", ptr.To[int64](40)
		}
		return schema
	}
	container := func() props {
		item := props{Type: "object", Required: []string{"name"}, Properties: map[string]props{"name": leaf(), "image": leaf(),
			"port": {Type: "integer", Format: "int32"}}}
		for i := range 12 {
			item.Properties[fmt.Sprintf("field%d", i)] = leaf()
		}
		return props{Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"name"},
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	definition.Name = "fleets.example.com"
	definition.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "fleets", Singular: "fleet", Kind: "Fleet", ListKind: "FleetList"},
	}
	spec := props{Type: "object", Properties: map[string]props{}}
	root := props{Type: "object", Properties: map[string]props{"spec": spec}}
	definition.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
	}}
	sample, err := json.Marshal(container())
	if err != nil {
		panic(err)
	}
	fields = 0
	for i := range bytes / len(sample) {
		spec.Properties[fmt.Sprintf("pool%d", i)] = container()
	}
	return definition
}

// BenchmarkStaticPasses compares pairs of 700 KB and 2 MB, decoded: passes 2, 3 and 6, without the API server's own validation.
func BenchmarkStaticPasses(b *testing.B) {
	for _, tc := range []struct {
		name          string
		bytes, change int
	}{{"700KB", 700_000, 1000}, {"700KB-1000-changes", 700_000, 2}, {"2MB", 2_000_000, 1000}} {
		b.Run(tc.name, func(b *testing.B) {
			old, new := fleet(tc.bytes, 0), fleet(tc.bytes, tc.change)
			encoded, err := json.Marshal(old)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(encoded)))
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				for _, pair := range [][2]*apiextensionsv1.CustomResourceDefinition{{old, new}, {new, old}} {
					c := newComparison(pair[0], pair[1], Options{})
					c.Compare()
					versions.Compare(c.Comparison)
					rules.NewReport(c.Found...)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
