// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// usersResource is the fully qualified resource name, which is unambiguous.
const usersResource = "users.takaro.roadstead.dev"

// team uses the Takaro that all tests share.
type team struct{ *framework.Team }

func newTeam(t *testing.T) *team {
	t.Helper()
	// The name is short because it is part of e-mail addresses.
	return &team{env.TeamIn(t, env.ShortNamespace(t, "team"), env.Takaro)}
}

// account creates a user with a ClusterRole in the namespace, and waits until it is authorized for
// verb on Users.
func (tm *team) account(role, verb string) *framework.User {
	tm.T.Helper()
	u := env.User(tm.T, tm.Namespace, "")
	env.Bind(tm.T, u, role)
	env.AwaitAccess(tm.T, u.Name(), authorizationv1.ResourceAttributes{
		Namespace: tm.Namespace, Verb: verb, Group: v1alpha1.GroupName, Resource: "users",
	})
	return u
}

// kubectl runs kubectl as the user and requires success; it returns both outputs.
func (tm *team) kubectl(stdin string, args ...string) string {
	tm.T.Helper()
	out, problems := tm.KubectlSaid(tm.T, stdin, args...)
	return out + problems
}

// kubectlFails is kubectl for commands that must fail.
func (tm *team) kubectlFails(stdin string, args ...string) string {
	tm.T.Helper()
	out, err := tm.kubectlAs(tm.Kubeconfig, stdin, args...)
	require.Error(tm.T, err, "kubectl succeeded: %s", out)
	return out
}

// domainManifest returns the Domain arena with additional lines of spec.
func domainManifest(spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: arena}\nspec:\n  takaroApiUrl: "+
		"%s\n  credentialsSecretRef: {name: takaro-admin}\n  %s\n",
		env.Takaro.URL(), strings.Join(spec, "\n  "))
}

// userManifest returns a User of a Domain with additional lines of spec.
func userManifest(name, domain, email string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: %s}\nspec:\n  email: %s\n  "+
		"domainRef: {name: %s}\n  %s\n",
		name, email, domain, strings.Join(spec, "\n  "))
}

func (tm *team) apply(manifest string) string {
	tm.T.Helper()
	return tm.kubectl(manifest, "apply", "-f", "-")
}

// domain creates the Domain arena and waits until it is Ready.
func (tm *team) domain(spec ...string) *v1alpha1.Domain {
	tm.T.Helper()
	tm.apply(domainManifest(spec...))
	return tm.awaitDomain()
}

func (tm *team) awaitDomain() *v1alpha1.Domain {
	tm.T.Helper()
	return tm.AwaitDomain(framework.Limit, "arena", "Ready", "True AsSpecified")
}

func (tm *team) user(name string) *v1alpha1.User {
	tm.T.Helper()
	user, err := tm.Users().Get(tm.T.Context(), name, metav1.GetOptions{})
	require.NoError(tm.T, err)
	return user
}

// awaitUser waits for a condition of the current generation ("Ready", "False DomainNotFound").
func (tm *team) awaitUser(name, kind, want string) (user *v1alpha1.User) {
	tm.T.Helper()
	tm.await(fmt.Sprintf("User %s: %s %s", name, kind, want), func() (err error) {
		if user, err = tm.Users().Get(tm.T.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		return framework.ConditionIs(user, user.Status.Conditions, kind, want)
	})
	return user
}

func (tm *team) awaitReady(name string) *v1alpha1.User {
	tm.T.Helper()
	return tm.awaitUser(name, "Ready", "True AsSpecified")
}

// login returns the content of the Secret of the User.
func (tm *team) login(name string) map[string]string {
	tm.T.Helper()
	secret, err := env.Admin.CoreV1().Secrets(tm.Namespace).Get(tm.T.Context(), name+"-takaro-user", metav1.GetOptions{})
	require.NoError(tm.T, err)
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// inTakaro returns the user with an e-mail address in the Takaro domain of a Domain, or nil if
// there is none.
func inTakaro(domain *v1alpha1.Domain, email string) *takaro.User {
	made, _ := env.Takaro.Domain(domain.Status.DomainID)
	for _, user := range made.Users {
		if strings.EqualFold(user.Email, email) {
			return &user
		}
	}
	return nil
}

func (tm *team) await(what string, check func() error) {
	tm.T.Helper()
	framework.Await(tm.T, what, check)
}

// passwordValid returns the status and the reason of the condition PasswordValid.
func passwordValid(user *v1alpha1.User) string {
	found := meta.FindStatusCondition(user.Status.Conditions, "PasswordValid")
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}
