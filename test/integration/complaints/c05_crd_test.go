// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/hack/cluster"
	"roadstead.dev/roadstead/test/integration/framework"
)

const peerGroup = "peer.test"

// peer makes Domains a second time, as a CRD with the schema that our server publishes.
func peer(t *testing.T) {
	t.Helper()
	var document struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/openapi/v3/apis/" + group + "/v1alpha1"}).Decode(t, &document)
	var domain map[string]any
	for name, one := range document.Components.Schemas {
		if strings.HasSuffix(name, ".Domain") {
			domain = inline(one, document.Components.Schemas)
		}
	}
	require.NotNil(t, domain)
	domain["properties"].(map[string]any)["metadata"] = map[string]any{"type": "object"}

	createCRD(t, env.Cluster, peerGroup, domain)
}

// createCRD makes a CRD of Domains in a group, and returns when the host serves it.
func createCRD(t *testing.T, c *cluster.Cluster, apiGroup string, domain map[string]any) {
	t.Helper()
	crds := customResourceDefinitions(t, c)
	name := "domains." + apiGroup
	_, err := crds.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
		"spec": map[string]any{
			"group": apiGroup, "scope": "Namespaced", "names": map[string]any{"plural": "domains", "singular": "domain", "kind": "Domain"},
			"versions": []any{map[string]any{
				"name": version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": domain},
				"subresources": map[string]any{"status": map[string]any{}},
			}},
		},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	framework.Await(t, "the CRD", func() error {
		crd, err := crds.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, err := unstructured.NestedSlice(crd.Object, "status", "conditions")
		for _, condition := range conditions {
			if asMap(condition)["type"] == "Established" && asMap(condition)["status"] == "True" {
				return nil
			}
		}
		return errors.Join(err, errors.New("not established"))
	})
}

func customResourceDefinitions(t *testing.T, c *cluster.Cluster) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	require.NoError(t, err)
	return client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
}

// inline replaces references by what they name, and drops what a CRD's schema may not have.
func inline(node map[string]any, all map[string]map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range node {
		switch {
		case key == "allOf":
			for _, one := range value.([]any) {
				for key, value := range inline(one.(map[string]any), all) {
					if _, own := out[key]; !own {
						out[key] = value
					}
				}
			}
		case key == "$ref":
			for key, value := range inline(all[strings.TrimPrefix(value.(string), "#/components/schemas/")], all) {
				if _, own := out[key]; !own {
					out[key] = value
				}
			}
		case key == "properties":
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = inline(property.(map[string]any), all)
			}
			out[key] = properties
		case key == "items", key == "additionalProperties":
			if nested, ok := value.(map[string]any); ok {
				out[key] = inline(nested, all)
			} else {
				out[key] = value
			}
		case key == "default" && isEmpty(value):
			// It stands for "not null" in Go types.
		case key == "x-kubernetes-group-version-kind", key == "x-kubernetes-patch-strategy", key == "x-kubernetes-patch-merge-key":
		default:
			out[key] = value
		}
	}
	return out
}

func asMap(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}

func isEmpty(value any) bool {
	m, ok := value.(map[string]any)
	return ok && len(m) == 0
}
