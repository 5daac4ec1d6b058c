// SPDX-License-Identifier: Apache-2.0

//go:build integration

package users

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"roadstead.dev/roadstead/pkg/apis/takaro/v1alpha1"
	"roadstead.dev/roadstead/pkg/generated/clientset/versioned"
	"roadstead.dev/roadstead/test/fakes/takaro"
	"roadstead.dev/roadstead/test/framework"
)

// usersResource is the full name, which no other API can have.
const usersResource = "users.takaro.roadstead.dev"

// team is a namespace with a person who has the cluster's role edit there.
type team struct {
	t          *testing.T
	namespace  string
	config     *rest.Config
	kubeconfig string
	kinds      versioned.Interface
}

func newTeam(t *testing.T) *team {
	t.Helper()
	// Short, because it is part of e-mail addresses.
	tm := &team{t: t, namespace: env.Name("team")}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tm.namespace}}
	_, err := env.Admin.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = env.Admin.CoreV1().Secrets(tm.namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: framework.AdminSecret}, StringData: map[string]string{"adminToken": env.Takaro.AdminToken()},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	person := tm.account("edit", "create")
	tm.config, tm.kubeconfig, tm.kinds = person.Config, person.Kubeconfig, framework.ClientFor(t, person.Config)
	return tm
}

// account creates a user who has a ClusterRole in the namespace, and waits until the user may do verb with Users.
func (tm *team) account(role, verb string) *framework.User {
	tm.t.Helper()
	u := env.User(tm.t, tm.namespace, "")
	env.Bind(tm.t, u, role)
	env.AwaitAccess(tm.t, u.Name(), authorizationv1.ResourceAttributes{
		Namespace: tm.namespace, Verb: verb, Group: v1alpha1.GroupName, Resource: "users",
	})
	return u
}

// kubectl runs kubectl as the person and requires success; it gives both outputs.
func (tm *team) kubectl(stdin string, args ...string) string {
	tm.t.Helper()
	out, problems, err := env.Cluster.KubectlAs(tm.kubeconfig).WithStdin(strings.NewReader(stdin)).Run(tm.t.Context(), args...)
	require.NoError(tm.t, err)
	return out + problems
}

// kubectlFails is kubectl for what must fail.
func (tm *team) kubectlFails(stdin string, args ...string) string {
	tm.t.Helper()
	out, problems, err := env.Cluster.KubectlAs(tm.kubeconfig).WithStdin(strings.NewReader(stdin)).Run(tm.t.Context(), args...)
	require.Error(tm.t, err, "kubectl succeeded: %s", out)
	return out + problems
}

// domainManifest is the Domain arena with more lines of spec.
func domainManifest(spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: Domain\nmetadata: {name: arena}\nspec:\n  takaroApiUrl: "+
		"%s\n  credentialsSecretRef: {name: takaro-admin}\n  %s\n",
		env.Takaro.URL(), strings.Join(spec, "\n  "))
}

// userManifest is a User of a Domain with more lines of spec.
func userManifest(name, domain, email string, spec ...string) string {
	return fmt.Sprintf("apiVersion: takaro.roadstead.dev/v1alpha1\nkind: User\nmetadata: {name: %s}\nspec:\n  email: %s\n  "+
		"domainRef: {name: %s}\n  %s\n",
		name, email, domain, strings.Join(spec, "\n  "))
}

func (tm *team) apply(manifest string) string {
	tm.t.Helper()
	return tm.kubectl(manifest, "apply", "-f", "-")
}

// domain makes the Domain arena and waits until it is Ready.
func (tm *team) domain(spec ...string) *v1alpha1.Domain {
	tm.t.Helper()
	tm.apply(domainManifest(spec...))
	return tm.awaitDomain()
}

func (tm *team) awaitDomain() (domain *v1alpha1.Domain) {
	tm.t.Helper()
	tm.await("Domain arena", func() (err error) {
		if domain, err = tm.kinds.TakaroV1alpha1().Domains(tm.namespace).Get(tm.t.Context(), "arena", metav1.GetOptions{}); err != nil {
			return err
		}
		ready := meta.FindStatusCondition(domain.Status.Conditions, "Ready")
		return unless(ready != nil && ready.Status == "True" && ready.ObservedGeneration == domain.Generation, "it is %+v", domain.Status)
	})
	return domain
}

func (tm *team) user(name string) *v1alpha1.User {
	tm.t.Helper()
	user, err := tm.kinds.TakaroV1alpha1().Users(tm.namespace).Get(tm.t.Context(), name, metav1.GetOptions{})
	require.NoError(tm.t, err)
	return user
}

// awaitUser waits for a condition of the present generation ("Ready", "False DomainNotFound").
func (tm *team) awaitUser(name, kind, want string) (user *v1alpha1.User) {
	tm.t.Helper()
	tm.await(fmt.Sprintf("User %s: %s %s", name, kind, want), func() (err error) {
		if user, err = tm.kinds.TakaroV1alpha1().Users(tm.namespace).Get(tm.t.Context(), name, metav1.GetOptions{}); err != nil {
			return err
		}
		found := meta.FindStatusCondition(user.Status.Conditions, kind)
		return unless(found != nil && found.ObservedGeneration == user.Generation && string(found.Status)+" "+found.Reason == want,
			"it is %+v", user.Status)
	})
	return user
}

func (tm *team) awaitReady(name string) *v1alpha1.User {
	tm.t.Helper()
	return tm.awaitUser(name, "Ready", "True AsSpecified")
}

// login gives the content of the User's Secret.
func (tm *team) login(name string) map[string]string {
	tm.t.Helper()
	secret, err := env.Admin.CoreV1().Secrets(tm.namespace).Get(tm.t.Context(), name+"-takaro-user", metav1.GetOptions{})
	require.NoError(tm.t, err)
	data := map[string]string{}
	for key, value := range secret.Data {
		data[key] = string(value)
	}
	return data
}

// inTakaro gives the user with an e-mail in the Takaro domain of a Domain, nil when there is none.
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
	tm.t.Helper()
	framework.Await(tm.t, what, check)
}

// unless gives an error unless ok.
func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// passwordValid is status and reason of the condition PasswordValid.
func passwordValid(user *v1alpha1.User) string {
	found := meta.FindStatusCondition(user.Status.Conditions, "PasswordValid")
	if found == nil {
		return "absent"
	}
	return string(found.Status) + " " + found.Reason
}
