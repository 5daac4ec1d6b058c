// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
)

const emptyCredentials = `{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"UserCredentials"}`

// controllerConfig returns a configuration with the identity of the controller.
func controllerConfig(t *testing.T) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(filepath.Dir(env.Roadstead.Controller().Log()),
		"roadstead-controller.kubeconfig"))
	require.NoError(t, err)
	return config
}

// givenPassword queries the subresource as the controller does. It returns "" if no password was
// given.
func (tm *team) givenPassword(name string) string {
	tm.T.Helper()
	client, err := rest.RESTClientFor(withGroup(controllerConfig(tm.T)))
	require.NoError(tm.T, err)
	result := client.Post().AbsPath(tm.path("/"+name+"/credentials")).SetHeader("Content-Type",
		asJSON).Body([]byte(emptyCredentials)).Do(tm.T.Context())
	var code int
	result.StatusCode(&code)
	raw, err := result.Raw()
	if code == http.StatusNotFound {
		var status metav1.Status
		require.NoError(tm.T, json.Unmarshal(raw, &status))
		require.Equal(tm.T, v1alpha1.StatusReasonNotGiven, status.Reason, "%s", raw)
		return ""
	}
	require.NoError(tm.T, err)
	var answer v1alpha1.UserCredentials
	require.NoError(tm.T, json.Unmarshal(raw, &answer))
	return answer.Password
}

func TestCredentials(t *testing.T) {
	tm := newTeam(t)
	secret := password()
	code, _ := request(t, tm.Config, http.MethodPost, tm.path(""), asJSON, asJSON, userJSON("has-one", secret))
	require.Equal(t, http.StatusCreated, code)
	tm.apply(userManifest("has-none", "nowhere", "has-none@example.com"))
	assert.Equal(t, secret, tm.givenPassword("has-one"))
	assert.Empty(t, tm.givenPassword("has-none"))

	code, answer := request(t, controllerConfig(t), http.MethodPost, tm.path("/absent/credentials"), asJSON, asJSON, emptyCredentials)
	assert.Equal(t, http.StatusNotFound, code)
	assert.Contains(t, string(answer), `"reason":"NotFound"`)
	code, _ = request(t, controllerConfig(t), http.MethodPost, tm.path("/has-one/credentials"), asJSON, asJSON,
		`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"UserCredentials","password":"guessed-one"}`)
	assert.Equal(t, http.StatusBadRequest, code, "the body has no password")

	// No other user can read the password: not with edit, not with admin, and not with every right
	// to read.
	reader := tm.account("admin", "create").Config
	everything := tm.Namespace + "-reads-everything"
	_, err := env.Admin.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: everything},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	all := tm.account(everything, "get").Config
	for name, config := range map[string]*rest.Config{"edit": tm.Config, "admin": reader, "get *": all} {
		code, _ := request(t, config, http.MethodPost, tm.path("/has-one/credentials"), asJSON, asJSON, emptyCredentials)
		assert.Equal(t, http.StatusForbidden, code, "%s may not create it", name)
		code, _ = request(t, config, http.MethodGet, tm.path("/has-one/credentials"), asJSON, asJSON, "")
		assert.Contains(t, []int{http.StatusForbidden, http.StatusMethodNotAllowed}, code, "%s may not get it", name)
	}
}

func withGroup(config *rest.Config) *rest.Config {
	changed := rest.CopyConfig(config)
	changed.GroupVersion = &v1alpha1.SchemeGroupVersion
	changed.NegotiatedSerializer = metav1Codecs
	return changed
}
