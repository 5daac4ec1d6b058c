// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package secretnamespaces tests a controller that can use Secrets only in some namespaces, with
// only the rights of the corresponding manifests.
package secretnamespaces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
	"roadstead.dev/roadstead/test/framework/install"
)

// Namespaces of testdata.
const (
	served  = "served"
	unbound = "unbound"
)

var env *framework.Env

func TestMain(m *testing.M) {
	overlay, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	framework.Main(m, &env, framework.WithAudit("Metadata"), framework.WithController("--secret-namespaces="+served+","+unbound),
		framework.WithInstall(func(o *install.Options) { o.Manifests = overlay }))
}

// newTeam returns a team in a namespace with a Domain.
func newTeam(t *testing.T, server *takaro.Server, namespace string) *framework.Team {
	t.Helper()
	u := env.TeamIn(t, namespace, server)
	u.KubectlIn(t, fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: arena}\nspec:\n"+
		"  takaroApiUrl: %s\n  credentialsSecretRef: {name: %s}\n", server.URL(), framework.AdminSecret), "apply", "-f", "-")
	return u
}

// await waits for the condition Ready of the Domain ("True AsSpecified"), and returns its message.
func await(u *framework.Team, want string) (message string) {
	u.T.Helper()
	domain := u.AwaitDomain(framework.Limit, "arena", v1alpha1.ConditionReady, want)
	return meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionReady).Message
}

// TestSecretNamespaces verifies that a Domain in a namespace with a RoleBinding becomes Ready, and
// that a Domain elsewhere reports the required action of an administrator and can be deleted.
// Except for the check at its start, the controller sends no requests without having the right.
func TestSecretNamespaces(t *testing.T) {
	server := framework.NewTakaro(t, takaro.Options{})
	good := newTeam(t, server, served)
	refused := []*framework.Team{newTeam(t, server, unbound), newTeam(t, server, env.Namespace(t))}
	await(good, "True AsSpecified")
	for _, u := range refused {
		message := await(u, "False "+v1alpha1.ReasonNamespaceNotServed)
		assert.Contains(t, message, `"`+u.Namespace+`"`)
		assert.Contains(t, message, "--secret-namespaces")
	}
	assert.Len(t, server.Domains(), 1)
	for _, u := range append(refused, good) {
		u.Kubectl(t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=50s")
	}
	assert.Empty(t, server.Domains())
	assert.Equal(t, []string{"/api/v1/namespaces/" + unbound + "/secrets?limit=1"}, forbidden(t))
}

// forbidden returns the requests that the controller sent without having the right, without
// duplicates.
func forbidden(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(env.Cluster.AuditLog())
	require.NoError(t, err)
	var found []string
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		var event auditv1.Event
		if !bytes.Contains(line, []byte(`"username":"system:serviceaccount:roadstead-system:roadstead-controller"`)) ||
			json.Unmarshal(line, &event) != nil {
			continue
		}
		if event.Annotations["authorization.k8s.io/decision"] == "forbid" && !seen[event.RequestURI] {
			seen[event.RequestURI] = true
			found = append(found, event.RequestURI)
		}
	}
	return found
}
