// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/test/framework"
)

// mockManifest returns a MockServer of a Domain.
func mockManifest(name, domain string, spec string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: MockServer\nmetadata: {name: %s}\nspec:\n  domainRef: "+
		"{name: %s}\n  %s\n", name, domain, spec)
}

// hold adds a finalizer of the test to an object, as other tools do. release removes it.
func (tm *team) hold(object string) {
	tm.T.Helper()
	tm.kubectl("", "patch", object, "--type=json", "-p", `[{"op":"add","path":"/metadata/finalizers/-","value":"test.example/hold"}]`)
}

func (tm *team) release(object string) {
	tm.T.Helper()
	tm.kubectl("", "patch", object, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
}

// TestNothingNewForADomainThatIsBeingDeleted verifies that no new object can refer to a Domain that
// is being deleted. Otherwise a tool that applies continuously would block its deletion forever.
// Existing objects can still be applied, so that such a tool does not fail.
func TestNothingNewForADomainThatIsBeingDeleted(t *testing.T) {
	tm := newTeam(t)
	tm.domain("deletionPolicy: Retain")
	email := "kept@" + tm.Namespace + ".example"
	tm.apply(userManifest("kept", "arena", email))
	tm.awaitReady("kept")
	tm.apply(mockManifest("kept-game", "arena", "replicas: 0"))
	kept := []string{usersResource + "/kept", "mockservers.takaro.roadstead.dev/kept-game"}
	const domain = "domains.takaro.roadstead.dev/arena"
	for _, object := range kept {
		tm.await("its own finalizer", func() error {
			return framework.Unless(tm.kubectl("", "get", object, "-o", "jsonpath={.metadata.finalizers}") != "", "none")
		})
		tm.hold(object)
	}
	tm.hold(domain)
	tm.kubectl("", "delete", domain, "--wait=false")

	t.Run("new ones are refused", func(t *testing.T) {
		for kind, manifest := range map[string]string{
			usersResource:                      userManifest("late", "arena", "late@"+tm.Namespace+".example"),
			"mockservers.takaro.roadstead.dev": mockManifest("late", "arena", "replicas: 1"),
		} {
			for _, command := range [][]string{
				{"create"}, {"create", "--dry-run=server"}, {"apply"}, {"apply", "--dry-run=server"},
				{"apply", "--server-side"}, {"apply", "--server-side", "--dry-run=server"},
			} {
				out := tm.kubectlFails(manifest, append(command, "-f", "-")...)
				assert.Contains(t, out, "(Forbidden)", "%s %v", kind, command)
				assert.Contains(t, out, `spec.domainRef: Domain "arena" is being deleted; wait until it is deleted`, "%s %v", kind, command)
				assert.Contains(t, out, "kubectl wait --for=delete domain.takaro.roadstead.dev/arena -n "+tm.Namespace, "%s %v", kind, command)
			}
			assert.Contains(t, tm.kubectlFails("", "get", kind, "late"), "(NotFound)")
		}
		for _, dryRun := range []string{"", "?dryRun=All"} {
			code, answer := request(t, tm.Config, http.MethodPost, tm.path(dryRun), asJSON, asJSON,
				`{"apiVersion":"takaro.roadstead.dev/v1alpha1","kind":"User","metadata":{"name":"late"},"spec":{"email":"late@example.com",`+
					`"domainRef":{"name":"arena"}}}`)
			assert.Equal(t, http.StatusForbidden, code, "%s", answer)
		}
	})
	t.Run("those that are there are applied again", func(t *testing.T) {
		for _, command := range [][]string{{"apply"}, {"apply", "--dry-run=server"}, {"apply", "--server-side", "--force-conflicts"}} {
			tm.kubectl(userManifest("kept", "arena", email), append(command, "-f", "-")...)
			tm.kubectl(userManifest("kept", "arena", email, "roles: [Admin]"), append(command, "-f", "-")...)
			tm.kubectl(mockManifest("kept-game", "arena", "replicas: 0"), append(command, "-f", "-")...)
			tm.kubectl(mockManifest("kept-game", "arena", "totalPlayers: 3"), append(command, "-f", "-")...)
		}
		assert.Equal(t, []string{"Admin"}, tm.user("kept").Spec.Roles)
	})
	t.Run("a missing Domain is warned of", func(t *testing.T) {
		assert.Contains(t, tm.kubectl(userManifest("early", "elsewhere", "early@"+tm.Namespace+".example"), "create", "-f", "-"),
			`Warning: spec.domainRef: Domain "elsewhere" does not exist in namespace`)
		assert.Contains(t, tm.kubectl(mockManifest("early", "elsewhere", "replicas: 0"), "create", "-f", "-"),
			`Warning: spec.domainRef: Domain "elsewhere" does not exist in namespace`)
	})

	for _, object := range kept {
		tm.await("only the test's finalizer is left", func() error {
			left := tm.kubectl("", "get", object, "-o", "jsonpath={.metadata.finalizers}")
			return framework.Unless(left == `["test.example/hold"]`, "%s", left)
		})
		tm.release(object)
	}
	tm.await("the Domain's controller has done its work", func() error {
		domain, err := tm.Domains().Get(t.Context(), "arena", metav1.GetOptions{})
		if err == nil && len(domain.Finalizers) > 1 {
			err = fmt.Errorf("%v", domain.Finalizers)
		}
		return err
	})
	assert.Contains(t, tm.kubectlFails(userManifest("late", "arena", "late@"+tm.Namespace+".example"), "create", "-f", "-"),
		"is being deleted", "a finalizer of others counts too")
	tm.release(domain)
	tm.await("the Domain is gone", func() error {
		_, problems, err := env.Cluster.KubectlAs(tm.Kubeconfig).Run(t.Context(), "get", domain)
		return framework.Unless(err != nil, "%s", errors.New("it is there: "+problems))
	})
	out := tm.kubectl(userManifest("late", "arena", "late@"+tm.Namespace+".example"), "create", "-f", "-")
	assert.Contains(t, out, "Warning: spec.domainRef")
	require.Equal(t, "arena", tm.user("late").Spec.DomainRef.Name)
}
