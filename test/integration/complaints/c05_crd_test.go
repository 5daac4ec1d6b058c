// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/cluster"
	"roadstead.dev/roadstead/test/peer"
)

const peerGroup = "peer.test"

// makePeer creates a CRD for Domains with the schema that the Roadstead server publishes.
func makePeer(t *testing.T) {
	t.Helper()
	answer := framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/openapi/v3/apis/" + group + "/v1alpha1"})
	require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
	domain, err := peer.Schema(answer.Body, "Domain")
	require.NoError(t, err)
	createCRD(t, env.Cluster, peerGroup, domain)
}

// createCRD creates a CRD of Domains in a group and returns when the cluster serves it.
func createCRD(t *testing.T, c *cluster.Cluster, apiGroup string, domain map[string]any) {
	t.Helper()
	plain := peer.Kind{Name: "Domain", Plural: "domains", Singular: "domain"}
	require.NoError(t, peer.Create(t.Context(), c.AdminConfig(), plain.Definition(apiGroup, domain)))
}

func customResourceDefinitions(t *testing.T, c *cluster.Cluster) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(c.AdminConfig())
	require.NoError(t, err)
	return client.Resource(peer.Definitions)
}

func asMap(value any) map[string]any {
	m, _ := value.(map[string]any)
	return m
}
