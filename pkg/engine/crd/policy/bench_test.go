// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/utils/ptr"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// BenchmarkReview measures the review of a CRD of 300 KB and of 1 MB that gets one additional field.
func BenchmarkReview(b *testing.B) {
	for _, size := range []int{300 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			old, new := large(size), large(size)
			new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["more"] = props{Type: "string"}
			asked := request(b, admissionv1.Update, "", old, new)
			guard := New(Options{Objects: stored()})
			b.SetBytes(int64(len(asked.Object.Raw)))
			for b.Loop() {
				answer, err := guard.Review(b.Context(), asked)
				if err != nil || answer.Decision != Allowed {
					b.Fatal(answer, err)
				}
			}
		})
	}
}

// large returns a CRD whose JSON has about the given number of bytes.
func large(size int) *apiextensionsv1.CustomResourceDefinition {
	leaf := props{Type: "string", Description: strings.Repeat("What the field is for. ", 6), Pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
		MaxLength: ptr.To[int64](63)}
	item := props{Type: "object", Required: []string{"name"}, Properties: map[string]props{"name": leaf}}
	for i := range 12 {
		item.Properties[fmt.Sprintf("field%d", i)] = leaf
	}
	definition := widgets(nil)
	root := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
	for i := range size / (13 * 260) {
		root.Properties[fmt.Sprintf("pool%d", i)] = props{Type: "array", XListType: ptr.To("map"), XListMapKeys: []string{"name"},
			Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item}}
	}
	return definition
}
