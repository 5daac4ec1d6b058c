// SPDX-License-Identifier: Apache-2.0

//go:build integration

package apiserver

import (
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// verbs contains every verb in the order of the tables.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "approve", "bypass", "adopt"}

// ownVerbs are the verbs that the server checks in addition to the verb of a request.
var ownVerbs = map[string][]string{
	"domains." + takaroGroup: {"adopt"}, "users." + takaroGroup: {"adopt"}, "approvals." + releaseGroup: {"approve", "bypass"},
}

// guard is the resource whose rights the CRD guard checks. It is not an API resource, so discovery
// does not contain it.
const guard = "crdguard." + releaseGroup

// resource is a resource in RBAC rules and its meaningful verbs.
type resource struct {
	// group is the API group. name is "<resource>[/<subresource>]".
	group, name string
	// verbs are the served verbs and those that only Roadstead checks.
	verbs      []string
	namespaced bool
}

// String returns the resource as kubectl auth can-i --list prints it.
func (r resource) String() string {
	main, sub, found := strings.Cut(r.name, "/")
	if found {
		return main + "." + r.group + "/" + sub
	}
	return main + "." + r.group
}

// served finds all groups, resources and subresources of Roadstead by discovery, so that new ones
// are always included.
func served(t *testing.T) []resource {
	t.Helper()
	var groups metav1.APIGroupList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis"}).Decode(t, &groups)
	found := []resource{{group: releaseGroup, name: "crdguard", verbs: []string{"create"}}}
	for _, group := range groups.Groups {
		if !strings.HasSuffix(group.Name, ".roadstead.dev") {
			continue
		}
		for _, version := range group.Versions {
			found = append(found, servedBy(t, group.Name, version.Version)...)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].String() < found[j].String() })
	require.Greater(t, len(found), 15)
	return slices.CompactFunc(found, func(a, b resource) bool { return a.String() == b.String() })
}

func servedBy(t *testing.T, group, version string) []resource {
	t.Helper()
	var list metav1.APIResourceList
	framework.Do(t, env.Cluster.AdminConfig(), framework.Request{Path: "/apis/" + group + "/" + version}).Decode(t, &list)
	var found []resource
	for _, of := range list.APIResources {
		r := resource{group: group, name: of.Name, verbs: of.Verbs, namespaced: of.Namespaced}
		r.verbs = append(slices.Clone(r.verbs), ownVerbs[r.String()]...)
		found = append(found, r)
	}
	return found
}
