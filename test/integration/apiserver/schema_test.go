// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"roadstead.dev/roadstead/test/framework"
)

const domainModel = "dev.roadstead.takaro.v1alpha1.Domain"

func TestAggregatedDiscovery(t *testing.T) {
	t.Parallel()
	var groups apidiscovery.APIGroupDiscoveryList
	framework.Do(t, editor(t).Config, framework.Request{
		Path: "/apis", Accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
	}).Decode(t, &groups)
	for _, group := range groups.Items {
		if group.Name != "takaro.roadstead.dev" {
			continue
		}
		require.Len(t, group.Versions, 1)
		require.Equal(t, apidiscovery.DiscoveryFreshnessCurrent, group.Versions[0].Freshness)
		served := map[string][]string{}
		for _, resource := range group.Versions[0].Resources {
			categories := []string{"roadstead"}
			if resource.Resource == "mockservers" {
				categories = append(categories, "scale")
			}
			require.Equal(t, categories, resource.Categories)
			served[resource.Resource] = append([]string{resource.SingularResource}, resource.ShortNames...)
			for _, sub := range resource.Subresources {
				served[resource.Resource+"/"+sub.Subresource] = sub.Verbs
			}
		}
		changeable := []string{"get", "patch", "update"}
		require.Equal(t, map[string][]string{
			"domains": {"domain", "dom"}, "domains/status": changeable,
			"mockservers": {"mockserver", "mock"}, "mockservers/status": changeable, "mockservers/scale": changeable,
			"takaroendpoints": {"takaroendpoint", "tep"}, "takaroendpoints/status": changeable,
			"users": {"user", "tuser"}, "users/status": changeable, "users/credentials": {"create"},
		}, served)
		return
	}
	t.Fatal("the group is not in the aggregated discovery")
}

// document is the relevant part of an OpenAPI document of version 2 or 3.
type document struct {
	Definitions map[string]any `json:"definitions"`
	Components  struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

// TestC10ExplainAndSchema verifies in both versions of OpenAPI that every field of every served
// kind has a description and a merge strategy for lists, and that every reference resolves
// (kubernetes/kubernetes#118875).
func TestC10ExplainAndSchema(t *testing.T) {
	t.Parallel()
	admin := env.Cluster.AdminConfig()
	var v2, v3 document
	framework.Do(t, admin, framework.Request{Path: "/openapi/v3/apis/takaro.roadstead.dev/v1alpha1"}).Decode(t, &v3)
	framework.Await(t, "OpenAPI v2 at the aggregator", func() error {
		framework.Do(t, admin, framework.Request{Path: "/openapi/v2"}).Decode(t, &v2)
		if v2.Definitions[domainModel] == nil {
			return assert.AnError
		}
		return nil
	})
	for version, tc := range map[string]struct {
		models map[string]any
		prefix string
	}{
		"v2": {v2.Definitions, "#/definitions/"},
		"v3": {v3.Components.Schemas, "#/components/schemas/"},
	} {
		t.Run(version, func(t *testing.T) {
			s := schemas{t: t, models: tc.models, prefix: tc.prefix, visited: map[string]bool{}}
			for _, kind := range servedKinds(t) {
				model := strings.TrimSuffix(domainModel, "Domain") + kind
				require.Contains(t, tc.models, model)
				require.Contains(t, tc.models[model].(map[string]any)["x-kubernetes-group-version-kind"],
					map[string]any{"group": "takaro.roadstead.dev", "kind": kind, "version": "v1alpha1"})
				s.walk(kind, model)
			}
			require.Greater(t, s.leaves, 110, "the walk must reach every field")
			conditions := properties(t, tc.models, "dev.roadstead.takaro.v1alpha1.DomainStatus")["conditions"].(map[string]any)
			require.Equal(t, "map", conditions["x-kubernetes-list-type"])
			require.Equal(t, []any{"type"}, conditions["x-kubernetes-list-map-keys"])
			require.Equal(t, "type", conditions["x-kubernetes-patch-merge-key"])
			require.Equal(t, "merge", conditions["x-kubernetes-patch-strategy"])
			policy := properties(t, tc.models, "dev.roadstead.takaro.v1alpha1.DomainSpec")["deletionPolicy"].(map[string]any)
			require.ElementsMatch(t, []any{"Delete", "Disable", "Retain"}, policy["enum"])
		})
	}
}

// servedKinds returns all kinds of the version, including those of subresources, except the kinds
// of Kubernetes.
func servedKinds(t *testing.T) []string {
	t.Helper()
	var served metav1.APIResourceList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/takaro.roadstead.dev/v1alpha1"}).Decode(t, &served)
	kinds := sets.New[string]()
	for _, resource := range served.APIResources {
		if resource.Group == "" || resource.Group == "takaro.roadstead.dev" {
			kinds.Insert(resource.Kind)
		}
	}
	require.Greater(t, kinds.Len(), 3)
	return sets.List(kinds)
}

// TestC10ExplainKnowsEveryKind runs kubectl explain with each name of every kind.
func TestC10ExplainKnowsEveryKind(t *testing.T) {
	t.Parallel()
	u := editor(t)
	var served metav1.APIResourceList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/takaro.roadstead.dev/v1alpha1"}).Decode(t, &served)
	for _, resource := range served.APIResources {
		if strings.Contains(resource.Name, "/") {
			continue
		}
		for _, name := range append([]string{resource.Name + ".takaro.roadstead.dev"}, resource.ShortNames...) {
			explained := u.Kubectl(t, "explain", name, "--recursive")
			assert.Contains(t, explained, "KIND:       "+resource.Kind+"\n")
			for _, field := range []string{"spec\t", "status\t", "conditions\t<[]Condition>"} {
				assert.Contains(t, explained, field, name)
			}
		}
	}
}

func properties(t *testing.T, models map[string]any, name string) map[string]any {
	t.Helper()
	model, ok := models[name].(map[string]any)
	require.True(t, ok, name)
	found, _ := model["properties"].(map[string]any)
	return found
}

type schemas struct {
	t       *testing.T
	models  map[string]any
	prefix  string
	visited map[string]bool
	leaves  int
}

// walk visits every field below a model. Each field must have a description and reference an
// existing model.
func (s *schemas) walk(path, model string) {
	if s.visited[model] {
		return
	}
	s.visited[model] = true
	if !assert.Contains(s.t, s.models, model, "%s leads nowhere", path) {
		return
	}
	for name, value := range properties(s.t, s.models, model) {
		field := value.(map[string]any)
		at := path + "." + name
		assert.NotEmpty(s.t, field["description"], "%s has no description", at)
		if field["type"] == "array" {
			assert.NotEmpty(s.t, field["x-kubernetes-list-type"], "%s does not say how it is merged", at)
			if field["x-kubernetes-list-type"] == "map" {
				assert.NotEmpty(s.t, field["x-kubernetes-list-map-keys"], "%s does not say by which keys it is merged", at)
			}
		}
		s.leaves++
		for _, next := range references(field) {
			s.walk(at, strings.TrimPrefix(next, s.prefix))
		}
	}
}

// references returns every $ref in a schema.
func references(schema any) []string {
	var found []string
	switch value := schema.(type) {
	case map[string]any:
		for key, inner := range value {
			if ref, ok := inner.(string); ok && key == "$ref" {
				found = append(found, ref)
			}
			found = append(found, references(inner)...)
		}
	case []any:
		for _, inner := range value {
			found = append(found, references(inner)...)
		}
	}
	return found
}
