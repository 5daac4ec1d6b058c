// SPDX-License-Identifier: Apache-2.0

package live

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// definitionOf returns a CRD with one version, v1, with the status subresource and the properties of its root (YAML).
func definitionOf(t testing.TB, properties string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	root := &apiextensionsv1.JSONSchemaProps{}
	text := "type: object\nproperties:\n"
	for line := range strings.Lines(strings.TrimSpace(properties)) {
		if extra, ok := strings.CutPrefix(line, "^"); ok {
			text = extra + text
			continue
		}
		text += "  " + line
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), root), text)
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "widgets.example.com"
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root},
		Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
	}}
	return crd
}

// widget returns an object of the kind, with the fields of its root (YAML).
func widget(t testing.TB, name, fields string) unstructured.Unstructured {
	t.Helper()
	object := unstructured.Unstructured{Object: map[string]any{}}
	require.NoError(t, yaml.Unmarshal([]byte(fields), &object.Object))
	object.SetAPIVersion("example.com/v1")
	object.SetKind("Widget")
	object.SetName(name)
	object.SetNamespace("team")
	object.SetResourceVersion("7")
	return object
}

// pages is a Lister with the pages that a server would return.
type pages struct {
	items []Page
	// then is called after the pages.
	then func(ctx context.Context) error
	// asked contains the resources that were listed.
	asked []schema.GroupVersionResource
}

func (p *pages) List(ctx context.Context, resource schema.GroupVersionResource, _ int64, page func(Page) bool) error {
	p.asked = append(p.asked, resource)
	for _, next := range p.items {
		if !page(next) {
			return nil
		}
	}
	if p.then != nil {
		return p.then(ctx)
	}
	return nil
}

func objects(items ...unstructured.Unstructured) *pages {
	return &pages{items: []Page{{Items: items}}}
}
