// SPDX-License-Identifier: Apache-2.0

//go:build integration

package complaints

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"roadstead.dev/roadstead/test/framework"
)

const version = "v1alpha1"

// kind describes a kind for the tests that cover every kind.
type kind struct {
	resource, name string
	// spec is the JSON of a valid spec. changed is a mutable field of it with another value.
	spec, changed string
	// status is the JSON of a valid status, without conditions.
	status string
}

var kinds = []kind{
	{"domains", "Domain", `{"takaroApiUrl":"https://api.takaro.test"}`, `{"description":"changed"}`, `{"phase":"Ready","domainId":"an-id"}`},
	{"mockservers", "MockServer", `{"domainRef":{"name":"none"}}`, `{"totalPlayers":7}`, `{"phase":"Ready","reachable":3}`},
	{"users", "User", `{"email":"somebody@example.test","domainRef":{"name":"none"},"password":"not-a-real-1-Password"}`,
		`{"deletionPolicy":"Retain"}`, `{"phase":"Ready","userId":"an-id"}`},
}

// made is the resource whose objects are not created by users and whose spec is immutable: see
// test/integration/apiserver.
const made = "takaroendpoints"

// eachKind runs a test for every kind that the server serves and users create. It fails if one of
// them is missing in kinds.
func eachKind(t *testing.T, test func(*testing.T, kind)) {
	t.Helper()
	served, err := discovery.NewDiscoveryClientForConfigOrDie(env.Cluster.AdminConfig()).ServerResourcesForGroupVersion(group + "/" + version)
	require.NoError(t, err)
	for _, resource := range served.APIResources {
		if resource.Name == made || strings.Contains(resource.Name, "/") {
			continue
		}
		i := slices.IndexFunc(kinds, func(k kind) bool { return k.resource == resource.Name && k.name == resource.Kind })
		require.GreaterOrEqual(t, i, 0, "%s is served, but these tests do not know it", resource.Name)
		t.Run(kinds[i].name, func(t *testing.T) { test(t, kinds[i]) })
	}
}

// body returns the JSON of an object of the kind with additional top-level fields, such as
// "status".
func (k kind) body(t *testing.T, name string, fields map[string]string) string {
	t.Helper()
	object := map[string]any{"apiVersion": group + "/" + version, "kind": k.name, "metadata": map[string]any{"name": name}}
	for field, text := range fields {
		object[field] = parsed(t, text)
	}
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return string(text)
}

// object returns a valid object.
func (k kind) object(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON([]byte(k.body(t, name, map[string]string{"spec": k.spec}))))
	if k.resource == "users" {
		// The e-mail address of a User must be unique in its Domain.
		require.NoError(t, unstructured.SetNestedField(object.Object, name+"@example.test", "spec", "email"))
	}
	return object
}

func (k kind) gvr() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: k.resource}
}

// path returns the path of the collection in a namespace.
func (k kind) path(namespace string) string {
	return "/apis/" + group + "/" + version + "/namespaces/" + namespace + "/" + k.resource
}

func (k kind) client(t *testing.T, u *framework.User) dynamic.ResourceInterface {
	t.Helper()
	client, err := dynamic.NewForConfig(u.Config)
	require.NoError(t, err)
	return client.Resource(k.gvr()).Namespace(u.Namespace)
}

// create creates a valid object.
func (k kind) create(t *testing.T, u *framework.User, name string) *unstructured.Unstructured {
	t.Helper()
	made, err := k.client(t, u).Create(t.Context(), k.object(t, name), metav1.CreateOptions{})
	require.NoError(t, err)
	return made
}

func (k kind) get(t *testing.T, u *framework.User, name string) *unstructured.Unstructured {
	t.Helper()
	got, err := k.client(t, u).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return got
}

// keeper creates an editor with the rights of the controller to write the status and to read given
// passwords.
func keeper(t *testing.T) *framework.User {
	t.Helper()
	u := editor(t)
	env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"users/credentials"}, Verbs: []string{"create"}})
	for _, k := range kinds {
		env.Grant(t, u, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{k.resource + "/status"},
			Verbs: []string{"update", "patch", "get"}})
	}
	return u
}

// condition returns the JSON of a status with one condition.
func condition(name, reason string) string {
	return `{"conditions":[{"type":"` + name + `","status":"True","reason":"` + reason +
		`","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}`
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value), "%s", text)
	return value
}
