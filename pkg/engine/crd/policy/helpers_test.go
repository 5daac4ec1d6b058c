// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"roadstead.dev/roadstead/pkg/engine/crd/live"
)

type props = apiextensionsv1.JSONSchemaProps

// widgets returns a stored, Established CRD whose spec has the given fields.
func widgets(fields map[string]props) *apiextensionsv1.CustomResourceDefinition {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	definition.Name, definition.UID, definition.Generation = "widgets.example.com", types.UID("uid-1"), 1
	definition.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &props{
				Type: "object", Properties: map[string]props{"spec": {Type: "object", Properties: fields}},
			}},
		}},
	}
	definition.Status = apiextensionsv1.CustomResourceDefinitionStatus{
		Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue}, {Type: apiextensionsv1.Established,
				Status: apiextensionsv1.ConditionTrue},
		},
		StoredVersions: []string{"v1"},
	}
	return definition
}

func sized() *apiextensionsv1.CustomResourceDefinition {
	return widgets(map[string]props{"size": {Type: "string"}, "color": {Type: "string"}})
}

// narrowed lacks a field of sized, which is destructive.
func narrowed() *apiextensionsv1.CustomResourceDefinition {
	return widgets(map[string]props{"size": {Type: "string"}})
}

// extended has one more field than sized, which breaks nothing.
func extended() *apiextensionsv1.CustomResourceDefinition {
	return widgets(map[string]props{"size": {Type: "string"}, "color": {Type: "string"}, "shape": {Type: "string"}})
}

// defaulting has a default for a field of sized, which needs a review.
func defaulting() *apiextensionsv1.CustomResourceDefinition {
	return widgets(map[string]props{"size": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"small"`)}},
		"color": {Type: "string"}})
}

func annotated(definition *apiextensionsv1.CustomResourceDefinition, key, value string) *apiextensionsv1.CustomResourceDefinition {
	metav1.SetMetaDataAnnotation(&definition.ObjectMeta, key, value)
	return definition
}

func raw(t testing.TB, definition *apiextensionsv1.CustomResourceDefinition) runtime.RawExtension {
	t.Helper()
	if definition == nil {
		return runtime.RawExtension{}
	}
	definition = definition.DeepCopy()
	definition.APIVersion, definition.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	text, err := json.Marshal(definition)
	require.NoError(t, err)
	return runtime.RawExtension{Raw: text}
}

func request(t testing.TB, operation admissionv1.Operation, subresource string, old,
	new *apiextensionsv1.CustomResourceDefinition) *admissionv1.AdmissionRequest {
	t.Helper()
	return &admissionv1.AdmissionRequest{
		UID: "review-1", Operation: operation, SubResource: subresource, Name: "widgets.example.com",
		Resource:  metav1.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		OldObject: raw(t, old), Object: raw(t, new),
	}
}

// review returns the answer of a guard. The guard names objects to every user if options.Access is nil.
func review(t *testing.T, options Options, request *admissionv1.AdmissionRequest) Answer {
	t.Helper()
	if options.Access == nil {
		options.Access = &access{allowed: true}
	}
	answer, err := New(options).Review(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, request.UID, answer.Response.UID)
	require.Equal(t, string(answer.Decision), answer.Response.AuditAnnotations["decision"])
	require.Equal(t, string(answer.Verdict), answer.Response.AuditAnnotations["verdict"])
	require.Equal(t, answer.Response.Allowed, answer.Response.Result == nil, "a Status is set for rejections only")
	for _, warning := range answer.Response.Warnings {
		require.LessOrEqual(t, len([]rune(warning)), longestWarning)
	}
	return answer
}

func update(t *testing.T, options Options, old, new *apiextensionsv1.CustomResourceDefinition) Answer {
	t.Helper()
	return review(t, options, request(t, admissionv1.Update, "", old, new))
}

// stock lists objects, or returns an error.
type stock struct {
	objects []unstructured.Unstructured
	err     error
	// asked is the number of lists.
	asked int
	// slow waits for the end of the context if more than one object is listed.
	slow bool
}

func (s *stock) List(ctx context.Context, _ schema.GroupVersionResource, size int64, page func(live.Page) bool) error {
	s.asked++
	if s.err != nil {
		return s.err
	}
	if s.slow && size > 1 {
		<-ctx.Done()
		return ctx.Err()
	}
	items := s.objects[:min(int(size), len(s.objects))]
	page(live.Page{Items: items, Remaining: int64(len(s.objects) - len(items))})
	return nil
}

func stored(names ...string) *stock {
	s := &stock{}
	for _, name := range names {
		object := unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget",
			"spec": map[string]any{"size": "big", "color": "red"}}}
		object.SetNamespace("ns")
		object.SetName(name)
		s.objects = append(s.objects, object)
	}
	return s
}

// access determines whether a user may list objects.
type access struct {
	allowed bool
	err     error
	// asked contains the calls.
	asked []string
}

func (a *access) MayList(_ context.Context, user authenticationv1.UserInfo, resource schema.GroupVersionResource) (bool, error) {
	a.asked = append(a.asked, user.Username+" list "+resource.String())
	return a.allowed, a.err
}

// counter returns a count or an error.
type counter struct {
	count Count
	err   error
}

func (c counter) Count(context.Context, schema.GroupResource) (Count, error) { return c.count, c.err }
