// SPDX-License-Identifier: Apache-2.0

//go:build integration

package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
)

// left returns the remaining objects of an installation: all objects in its namespace, and all
// cluster-scoped objects with its name.
func (h *host) left() []string {
	h.t.Helper()
	client, err := metadata.NewForConfig(h.Cluster.AdminConfig())
	require.NoError(h.t, err)
	groups, err := h.Admin.Discovery().ServerPreferredResources()
	require.NoError(h.t, err, "no API of the cluster may be dead")
	var found []string
	for _, group := range discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list"}}, groups) {
		version, err := schema.ParseGroupVersion(group.GroupVersion)
		require.NoError(h.t, err)
		for i := range group.APIResources {
			resource := version.WithResource(group.APIResources[i].Name)
			list, err := client.Resource(resource).List(h.t.Context(), metav1.ListOptions{})
			require.NoError(h.t, err, resource)
			for _, o := range list.Items {
				if ours(resource.Resource, &o) {
					found = append(found, fmt.Sprintf("%s %s/%s", resource.Resource, o.Namespace, o.Name))
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

// ours reports whether an object belongs to the installation, and not to Kubernetes, to the objects
// that are never uninstalled, or to the tests.
func ours(resource string, o *metav1.PartialObjectMetadata) bool {
	switch {
	case resource == "events" || resource == "namespaces" || resource == "persistentvolumes":
		return false
	case o.Name == "kube-root-ca.crt" || resource == "serviceaccounts" && o.Name == "default":
		return false
	}
	return o.Namespace == namespace || strings.Contains(o.Name, "roadstead")
}
