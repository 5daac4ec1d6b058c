// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"roadstead.dev/roadstead/pkg/engine/crd/rules"
)

func TestReview_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*admissionv1.AdmissionRequest)
		want   string
	}{
		"another resource": {func(r *admissionv1.AdmissionRequest) { r.Resource.Resource = "pods" },
			"reviews only customresourcedefinitions.apiextensions.k8s.io"},
		"another version": {func(r *admissionv1.AdmissionRequest) { r.Resource.Version = "v1beta1" }, "v1beta1"},
		"a creation":      {func(r *admissionv1.AdmissionRequest) { r.Operation = admissionv1.Create }, "not CREATE"},
		"a subresource":   {func(r *admissionv1.AdmissionRequest) { r.SubResource = "scale" }, `"scale"`},
		"nothing stored":  {func(r *admissionv1.AdmissionRequest) { r.OldObject = runtime.RawExtension{} }, "no oldObject"},
		"nothing new":     {func(r *admissionv1.AdmissionRequest) { r.Object = runtime.RawExtension{} }, "no object"},
		"no definition": {func(r *admissionv1.AdmissionRequest) { r.Object.Raw = []byte(`{"spec":[]}`) },
			"object of the review as CustomResourceDefinition"},
		"no name": {func(r *admissionv1.AdmissionRequest) { r.Object.Raw = []byte(`{}`) }, "has no metadata.name"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := request(t, admissionv1.Update, "", sized(), narrowed())
			tc.change(asked)
			_, err := New(Options{}).Review(t.Context(), asked)
			require.ErrorContains(t, err, tc.want)
		})
	}
	_, err := New(Options{}).Review(t.Context(), nil)
	require.ErrorContains(t, err, "no request")
}

func TestFieldOf(t *testing.T) {
	for want, finding := range map[string]rules.Finding{
		"spec":                            {},
		"spec.names.kind":                 {Path: "spec.names.kind"},
		"spec.versions[v1]":               {Version: "v1"},
		"spec.versions[v1→v2]":            {Version: "v1→v2"},
		"spec.versions[v1].served":        {Version: "v1", Path: "served"},
		"spec.versions[v1].schema.spec.a": {Version: "v1", Path: ".spec.a"},
	} {
		assert.Equal(t, want, fieldOf(&finding))
	}
}

// TestHeader_LimitsWarnings checks that warnings fit into a header: the API server drops others.
func TestHeader_LimitsWarnings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 0, 20).Draw(t, "warnings")
		texts = append(texts, rapid.StringN(200, 600, -1).Draw(t, "long"), string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
		shown := header(texts)
		if len(shown) > mostWarnings+1 {
			t.Fatalf("%d warnings", len(shown))
		}
		for _, text := range shown {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > longestWarning || strings.ContainsAny(text, "\n\r\t\x00\x7f") {
				t.Fatalf("%q is not a valid header value", text)
			}
		}
	})
}

// FuzzReview checks that every review is answered or returns an error, without a panic.
func FuzzReview(f *testing.F) {
	old, new := raw(f, sized()).Raw, raw(f, narrowed()).Raw
	f.Add(old, new, "UPDATE", "")
	f.Add(old, old, "UPDATE", "status")
	f.Add(old, []byte{}, "DELETE", "")
	f.Add([]byte(`{"metadata":{"name":"x"},"spec":{"versions":[{"name":"v1","storage":true,`+
		`"schema":{"openAPIV3Schema":{"items":[{"allOf":[{}]}]}}}],"conversion":{"webhook":{}}}}`),
		[]byte(`{"metadata":{"name":"x"}}`), "UPDATE", "")
	f.Fuzz(func(t *testing.T, old, new []byte, operation, subresource string) {
		asked := request(t, admissionv1.Operation(operation), subresource, nil, nil)
		asked.OldObject.Raw, asked.Object.Raw = old, new
		objects := stored("a", "b")
		answer, err := New(Options{Objects: objects}).Review(t.Context(), asked)
		if err != nil {
			return
		}
		if answer.Response == nil || answer.Response.Allowed != (answer.Response.Result == nil) || answer.CRD == "" || answer.Decision == "" {
			t.Fatalf("incomplete answer: %+v", answer)
		}
	})
}
