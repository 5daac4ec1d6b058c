// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const document = `{"components":{"schemas":{
	"dev.test.Domain": {"type":"object","x-kubernetes-group-version-kind":[{"kind":"Domain"}],"properties":{
		"metadata":{"allOf":[{"$ref":"#/components/schemas/Meta"}]},
		"spec":{"default":{},"description":"outer","allOf":[{"$ref":"#/components/schemas/Spec"}]}}},
	"Meta": {"type":"object","properties":{"name":{"type":"string"}}},
	"Spec": {"type":"object","description":"inner","properties":{
		"url":{"type":"string","default":""},
		"items":{"type":"array","items":{"$ref":"#/components/schemas/Item"},"x-kubernetes-patch-strategy":"merge"}}},
	"Item": {"type":"object","properties":{"name":{"type":"string"}}}}}}`

func TestSchemaIsStructural(t *testing.T) {
	schema, err := Schema([]byte(document), "Domain")
	require.NoError(t, err)
	require.Equal(t, node{"type": "object", "properties": node{
		"metadata": node{"type": "object"},
		"spec": node{"type": "object", "description": "outer", "properties": node{
			"url":   node{"type": "string"},
			"items": node{"type": "array", "items": node{"type": "object", "properties": node{"name": node{"type": "string"}}}},
		}},
	}}, schema)
	_, err = Schema([]byte(document), "User")
	require.ErrorContains(t, err, "no schema of User")
	_, err = Schema([]byte("<html>"), "User")
	require.ErrorContains(t, err, "OpenAPI document")
}

func TestAmendments(t *testing.T) {
	schema, err := Schema([]byte(document), "Domain")
	require.NoError(t, err)
	require.NoError(t, amendments{
		"": rules("self.metadata.name.size() <= 200", "too long"), "spec.url": with(bounded(0, 10), rules("self == oldSelf", "is immutable")),
		"spec.items.[].name": bounded(1, 5),
	}.apply(schema))
	spec := schema["properties"].(node)["spec"].(node)["properties"].(node)
	require.Equal(t, node{"type": "string", "maxLength": int64(10), "x-kubernetes-validations": []any{node{"rule": "self == oldSelf",
		"message": "is immutable"}}}, spec["url"])
	name := spec["items"].(node)["items"].(node)["properties"].(node)["name"]
	require.Equal(t, node{"type": "string", "minLength": int64(1), "maxLength": int64(5)}, name)
	require.Len(t, schema["x-kubernetes-validations"], 1)
	require.ErrorContains(t, amendments{"spec.gone": {}}.apply(schema), `"spec.gone"`)
}

func TestEstablished(t *testing.T) {
	definition := User.Definition(User.PeerGroup(), node{"type": "object"})
	require.Equal(t, "users.takaro.roadstead.dev.peer.test", definition.GetName())
	require.ErrorContains(t, established(definition), "not established")
	set := func(kind, status string) {
		require.NoError(t, unstructured.SetNestedSlice(definition.Object, []any{node{"type": kind, "status": status, "message": "because"}},
			"status", "conditions"))
	}
	set("Established", "True")
	require.NoError(t, established(definition))
	set("NonStructuralSchema", "True")
	require.ErrorContains(t, established(definition), "because")
}
