// SPDX-License-Identifier: Apache-2.0

//go:build integration

// Package secretnamespaces tests a controller that may use Secrets in some namespaces only, with just the rights that the
// manifests for that give.
package secretnamespaces

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// team is a user of a namespace with a Domain and a User, and a Secret with the admin token.
type team struct {
	*framework.User
	t *testing.T
}

func newTeam(t *testing.T, server *takaro.Server, namespace string) team {
	t.Helper()
	u := team{env.User(t, namespace, "edit"), t}
	u.KubectlIn(t, fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: admin}\nstringData: {adminToken: %q}\n---\n"+
		"apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: arena}\nspec:\n"+
		"  takaroApiUrl: %s\n  credentialsSecretRef: {name: admin}\n", server.AdminToken(), server.URL()), "apply", "-f", "-")
	return u
}

// await waits for the condition Ready of the Domain ("True AsSpecified").
func (u team) await(want string) (message string) {
	u.t.Helper()
	framework.Await(u.t, "Domain in "+u.Namespace+": "+want, func() error {
		domain, err := u.Domains().Get(u.t.Context(), "arena", metav1.GetOptions{})
		if err != nil {
			return err
		}
		ready := meta.FindStatusCondition(domain.Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || !strings.HasPrefix(string(ready.Status)+" "+ready.Reason, want) {
			return fmt.Errorf("it is %+v", domain.Status)
		}
		message = ready.Message
		return nil
	})
	return message
}

func (u team) delete() {
	u.t.Helper()
	u.Kubectl(u.t, "delete", "domains.takaro.roadstead.dev", "arena", "--timeout=50s")
}

// TestSecretNamespaces: a Domain in a namespace with a RoleBinding becomes Ready; in others it says what an administrator has
// to do, and can be deleted. But for the look at the start, the controller requests nothing that it may not.
func TestSecretNamespaces(t *testing.T) {
	server := framework.NewTakaro(t, takaro.Options{})
	good := newTeam(t, server, served)
	refused := []team{newTeam(t, server, unbound), newTeam(t, server, env.Namespace(t))}
	good.await("True")
	for _, u := range refused {
		message := u.await("False " + v1alpha1.ReasonNamespaceNotServed)
		assert.Contains(t, message, `"`+u.Namespace+`"`)
		assert.Contains(t, message, "--secret-namespaces")
	}
	assert.Len(t, server.Domains(), 1)
	for _, u := range append(refused, good) {
		u.delete()
	}
	assert.Empty(t, server.Domains())
	assert.Equal(t, []string{"/api/v1/namespaces/" + unbound + "/secrets?limit=1"}, forbidden(t))
}

// forbidden returns the requests that the controller sent without a right, each once.
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
